"""How every plot looks, and how one becomes a file."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from analyzer.folder import writing

INK = "#1f2933"
FAINT = "#cbd2d9"
BUDGET = "#b3261e"
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#7f7f7f")
"""Okabe and Ito's, which colour-blind readers tell apart, without black and yellow."""
MARKERS = "osD^vPX"
MOST = len(COLOURS)
"""Lines in one plot at most: more cannot be told apart."""

_RC: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.prop_cycle": "cycler('color', ['#0072B2'])",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "font.size": 9,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "stdb-sweep",
    "text.color": INK,
    "xtick.color": INK,
    "xtick.labelsize": 8,
    "ytick.color": INK,
    "ytick.labelsize": 8,
}
_TAG = re.compile(r"<[^>]*>")
_LONG = re.compile(r"(\d+\.\d\d)\d+")
_APART = 1.7
_VOID: dict[str, Any] = {"marker": "x", "linestyle": "", "markersize": 7, "markeredgewidth": 1.8}

P = ParamSpec("P")
T = TypeVar("T")


class Plot(Figure):
    """A figure that a notebook shows without pyplot."""

    def _repr_svg_(self) -> str:
        return svg(self)


def styled(draw: Callable[P, T]) -> Callable[P, T]:
    """Draw in our style; that of the caller is as it was when it is done."""

    @functools.wraps(draw)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        with rc_context(_RC):
            return draw(*args, **kwargs)

    return wrapped


def new_plot(title: str, *, height: float = 3.7) -> Plot:
    """An empty one with its title; narrow enough to be read on a phone."""
    plot = Plot(figsize=(6.0, height))
    plot.suptitle(
        title, x=0.015, y=1 - 0.06 / height, ha="left", va="top", size=10.5, weight="bold"
    )
    return plot


def one_panel(title: str, *, legend: bool = True) -> tuple[Plot, Axes]:
    """A plot of one panel, with room for a legend on the right."""
    plot = new_plot(title)
    plot.subplots_adjust(left=0.125, right=0.8 if legend else 0.975, top=0.87, bottom=0.135)
    return plot, plot.subplots()


def legend(axes: Axes, title: str) -> None:
    """To the right of the panel, where it hides nothing."""
    axes.legend(
        title=title, title_fontsize=8, alignment="left", loc="upper left",
        bbox_to_anchor=(1.0, 1.02), handlelength=1.6, borderaxespad=0.2,
    )  # fmt: skip


def clients_axis(axes: Axes, clients: Sequence[int], reach: float = 1.0) -> None:
    """Subscribers S on a log axis that has a place for 0, up to `reach` times the most measured."""
    right = 1.25 * max(1, reach * max(clients))
    if min(clients) > 0:
        axes.set_xscale("log")
        axes.set_xlim(min(clients) / 1.25, right)
    else:
        axes.set_xscale("symlog", linthresh=1, linscale=0.35)
        axes.set_xlim(-0.5, right)
    axes.xaxis.set_major_locator(FixedLocator(_apart(clients)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(_plain())
    axes.set_xlabel("clients S")


def cost_axis(axis: Any) -> None:
    """A log axis of ms, to be called once the scale is set."""
    axis.set_major_locator(LogLocator(numticks=9))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(_plain())


def mark_void(axes: Axes, clients: float, cost_ms: float, colour: str) -> None:
    """A cross at a void cell: at its cost, or on the axis when that is unknown."""
    if cost_ms > 0:
        axes.plot([clients], [cost_ms], color=colour, **_VOID)
    else:
        axes.plot(
            [clients], [0], color=colour, transform=axes.get_xaxis_transform(),
            clip_on=False, zorder=5, **_VOID,
        )  # fmt: skip


def void_label(axes: Axes) -> None:
    """What a cross is, for the legend."""
    axes.plot([], [], color=INK, label="void", **_VOID)


def budget_line(axes: Axes, budget_ms: float, *, text: bool = True) -> None:
    axes.axhline(budget_ms, color=BUDGET, linewidth=1.2, linestyle=(0, (5, 2)))
    if text:
        axes.annotate(
            f"budget {budget_ms:,g} ms", (0, budget_ms), xycoords=("axes fraction", "data"),
            xytext=(3, 2), textcoords="offset points", color=BUDGET, size=8,
        )  # fmt: skip


@styled
def svg(figure: Figure) -> str:
    """The figure as the text of an SVG file, the same for the same figure."""
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None, "Creator": "stdb-sweep"})
    # A hundredth of a point is finer than any screen or printer. What is read stays as it is.
    return _TAG.sub(lambda tag: _LONG.sub(r"\1", tag[0]), file.getvalue())


@styled
def write(figure: Figure, path: Path | str) -> None:
    """Save as the ending of `path` says: .svg or .png. Raises RunError when the disk does not
    take it."""
    path = Path(path)
    with writing(path):
        if path.suffix == ".svg":
            path.write_text(svg(figure), encoding="utf-8")
        else:
            figure.savefig(path, dpi=160)


def _apart(values: Sequence[int]) -> list[int]:
    """The largest, and every other that is far enough below the next to be read; 0 as well."""
    kept: list[int] = []
    for value in sorted(set(values), reverse=True):
        if not kept or value * _APART <= kept[-1]:
            kept.append(value)
    return kept


def _plain() -> FuncFormatter:
    return FuncFormatter(lambda value, _: f"{value:,g}")
