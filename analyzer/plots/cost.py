"""Cost over S for each R: what was measured, the fit, its band and the budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from analyzer.model.ceiling import REACH
from analyzer.model.model import Model
from analyzer.plots.style import (
    COLOURS,
    MARKERS,
    MOST,
    budget_line,
    clients_axis,
    cost_axis,
    legend,
    mark_void,
    one_panel,
    styled,
    void_label,
)
from analyzer.plots.voids import void_cells
from analyzer.thin import pick

if TYPE_CHECKING:
    import pandas as pd


@styled
def cost_curves(
    model: Model, *, budget_ms: float | None = None, frame: pd.DataFrame | None = None
) -> Figure:
    """Draw the write cost of one arm over S, a line for each R, on log axes.

    The fit is dashed beyond the largest measured S, up to where it is trusted, and has its 95 %
    band. `frame`, as `Run.frame` gives it, adds a cross for every void cell.
    """
    data, axis = model.choice.best.data, model.axis
    plot, axes = one_panel(f"Write cost of {model.arm} over clients")
    most = int(data.clients.max())
    void = void_cells(frame, model.arm)
    shown = pick([*model.measured_rows, *(rows for _, rows in void)], MOST)
    for colour, marker, rows in zip(COLOURS, MARKERS, shown, strict=False):
        here = data.rows == rows
        axes.plot(data.clients[here], data.means[here], marker, color=colour, label=f"{rows:,}")
        if here.any():
            reach = max(1, most) * (1 if rows in model.choice.bends else REACH)
            # From one client on: between 0 and 1 the axis is no log axis.
            inside, beyond = np.geomspace(1, max(1, most), 24), np.geomspace(max(1, most), reach, 8)
            for clients, dashes in ((inside, "-"), (beyond, ":")):
                costs = [model.predict(s, rows) for s in clients]
                axes.plot(clients, costs, dashes, color=colour)
                ends = [model.interval(s, rows) or (np.nan, np.nan) for s in clients]
                low, high = zip(*ends, strict=True)
                axes.fill_between(clients, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.set_yscale("log")
    cost_axis(axes.yaxis)
    clients_axis(axes, [int(s) for s in data.clients], REACH)
    axes.set_ylabel("write cost (ms of lock per write)")
    if budget_ms is not None:
        budget_line(axes, budget_ms)
    for (s, r), cost_ms in void.items():
        if r in shown:
            mark_void(axes, s, cost_ms, COLOURS[shown.index(r)])
    if void:
        void_label(axes)
    axes.plot([], [], ":", color="#7f7f7f", label="beyond\nmeasured S")
    legend(axes, f"{axis.noun}s {axis.symbol}")
    return plot
