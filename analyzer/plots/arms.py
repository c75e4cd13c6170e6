"""View designs side by side: the same cells, one line for each design."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analyzer.frames import cells_frame
from analyzer.model.axis import row_axis
from analyzer.plots.style import (
    COLOURS,
    INK,
    MARKERS,
    budget_line,
    clients_axis,
    cost_axis,
    mark_void,
    new_plot,
    styled,
    void_label,
)
from analyzer.thin import pick

if TYPE_CHECKING:
    import pandas as pd

_PANELS = 4


@styled
def arms_side_by_side(frame: pd.DataFrame, *, budget_ms: float | None = None) -> Figure:
    """Draw the measured write cost of every arm over S, a panel for each of up to four R.

    `frame` is of one scenario, as `Run.frame` gives it; the bars reach from the lowest to the
    highest repeat.
    """
    cells = cells_frame(frame)
    axis = row_axis(str(cells["scenario"].iloc[0]))
    arms = list(dict.fromkeys(cells["arm"]))
    shown = pick([int(r) for r in cells["rows"]], _PANELS)
    lines, across = math.ceil(len(shown) / 2), min(2, len(shown))
    legend_lines = math.ceil((len(arms) + 1) / 3)
    height = 0.95 + 1.9 * lines + 0.2 * legend_lines
    plot = new_plot("Write cost of the view designs", height=height)
    panels = plot.subplots(lines, across, sharex=True, sharey=True, squeeze=False).flat
    top = 1 - (0.55 + 0.2 * legend_lines) / height
    plot.subplots_adjust(
        left=0.105, right=0.975, top=top, bottom=0.48 / height, hspace=0.3, wspace=0.08
    )
    for rows, axes in zip(shown, panels, strict=False):
        _panel(axes, cells[cells["rows"] == rows], arms)
        axes.set_title(f"{rows:,} {axis.noun}s", size=9)
        if budget_ms is not None:
            budget_line(axes, budget_ms, text=rows == shown[0])
    for axes in [*panels][len(shown) :]:
        axes.set_visible(False)
    if (cells["verdict"] != "ok").any():
        void_label(plot.axes[0])
    clients_axis(plot.axes[0], [int(s) for s in cells["clients"]])
    plot.axes[0].set_yscale("log")
    cost_axis(plot.axes[0].yaxis)
    for at, axes in enumerate(plot.axes):
        axes.set_xlabel("clients S" if at >= len(plot.axes) - across else "")
    plot.supylabel("write cost (ms of lock per write)", size=9, x=0.005, color=INK)
    plot.legend(
        *plot.axes[0].get_legend_handles_labels(), ncols=3, loc="upper left",
        bbox_to_anchor=(0.005, 1 - 0.3 / height), handlelength=1.6, borderaxespad=0,
    )  # fmt: skip
    return plot


def _panel(axes: Axes, cells: pd.DataFrame, arms: list[str]) -> None:
    for at, arm in enumerate(arms):
        colour, marker = COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)]
        own = cells[cells["arm"] == arm].sort_values("clients")
        known = own[own["verdict"] == "ok"]
        cost_ms = known["write_ms"]
        bars = (cost_ms - known["write_ms_low"], known["write_ms_high"] - cost_ms)
        axes.errorbar(
            known["clients"], cost_ms, bars, color=colour, marker=marker, label=arm,
            elinewidth=1, capsize=2,
        )  # fmt: skip
        for clients in own.loc[own["verdict"] != "ok", "clients"]:
            mark_void(axes, float(clients), math.nan, colour)
