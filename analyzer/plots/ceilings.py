"""Ceilings over R and budget: how many clients any budget allows, at a glance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from analyzer.model.ceiling import Ceiling, Status, ceiling
from analyzer.model.model import Model
from analyzer.plots.style import BUDGET, INK, one_panel, styled
from analyzer.thin import pick

BUDGETS_MS = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_MOST_ROWS = 10
_DARK = 0.45
"""Luminance below which a cell takes white digits."""


@styled
def ceiling_map(
    model: Model,
    budgets_ms: Sequence[float] = BUDGETS_MS,
    *,
    budget_ms: float | None = None,
) -> Figure:
    """Draw the ceiling of one arm for every R and budget, as a map with its numbers.

    `budget_ms` gets a frame of its own. Hatched is where the data carry no number: `≥` so many
    clients, or no finite limit (`∞`).
    """
    budgets = sorted({*budgets_ms, *([budget_ms] if budget_ms else [])})
    shown = pick(model.measured_rows, _MOST_ROWS)
    found = [[ceiling(model, budget, rows=rows) for rows in shown] for budget in budgets]
    plot, axes = one_panel(f"Ceiling of {model.arm} in clients", legend=False)
    norm = LogNorm(1, max(10, *(_clients(item) for line in found for item in line)))
    for y, line in enumerate(found):
        for x, item in enumerate(line):
            colour = colormaps["cividis"](norm(max(1, _clients(item))))
            hatch = None if item.status is Status.FINITE else "///"
            axes.add_patch(
                Rectangle(
                    (x - 0.5, y - 0.5), 1, 1, facecolor=colour, hatch=hatch, edgecolor="#ffffff",
                    linewidth=0.8,
                )
            )  # fmt: skip
            dark = np.dot(colour[:3], (0.2126, 0.7152, 0.0722)) < _DARK
            box = None if hatch is None else {"facecolor": colour, "edgecolor": "none", "pad": 1.5}
            axes.text(
                x, y, _text(item), ha="center", va="center", bbox=box, size=8.5,
                color="#fefefe" if dark else "#010101",
            )  # fmt: skip
    if budget_ms:
        axes.add_patch(
            Rectangle(
                (-0.5, budgets.index(budget_ms) - 0.5), len(shown), 1, fill=False, linewidth=2.2,
                edgecolor=BUDGET, clip_on=False, zorder=4,
            )
        )  # fmt: skip
    axes.grid(visible=False)
    axes.set_xlim(-0.5, len(shown) - 0.5)
    axes.set_ylim(-0.5, len(budgets) - 0.5)
    axes.set_xticks(range(len(shown)), [f"{rows:,}" for rows in shown])
    axes.set_yticks(range(len(budgets)), [f"{budget:g}" for budget in budgets])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(f"{model.axis.noun}s {model.axis.symbol}")
    axes.set_ylabel("budget (ms of lock per write)", color=INK)
    return plot


def _clients(item: Ceiling) -> int:
    return item.at_least if item.clients is None else item.clients


def _text(item: Ceiling) -> str:
    if item.status is Status.UNLIMITED:
        return "∞"
    return f"{'≥' if item.status is Status.REFUSED else ''}{_clients(item):,}"
