"""How well a model fits: residuals, and measured against predicted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.figure import Figure

from analyzer.model.model import Model
from analyzer.plots.style import (
    COLOURS,
    INK,
    MARKERS,
    MOST,
    clients_axis,
    cost_axis,
    legend,
    one_panel,
    styled,
)
from analyzer.thin import pick

_MOST_CELLS = 300


@styled
def residuals(model: Model) -> Figure:
    """Draw how far each cell lies from the fit, in % of what the fit predicts, over S."""
    cells, axis = model.choice.best.residuals, model.axis
    plot, axes = one_panel(f"What the fit of {model.arm} misses")
    axes.axhline(0, color=INK, linewidth=1)
    for colour, marker, rows in zip(
        COLOURS, MARKERS, pick(model.measured_rows, MOST), strict=False
    ):
        own = cells[cells["rows"] == rows]
        axes.plot(
            own["clients"], 100 * own["relative"], marker, color=colour, label=f"{rows:,}",
            linestyle="-", linewidth=0.7,
        )  # fmt: skip
    clients_axis(axes, [int(s) for s in cells["clients"]])
    axes.margins(y=0.1)
    axes.set_ylabel("measured over predicted (%)")
    axes.yaxis.set_major_formatter("{x:+g}")
    legend(axes, f"{axis.noun}s {axis.symbol}")
    return plot


@styled
def measured_against_predicted(models: Sequence[Model]) -> Figure:
    """Draw the cells of each model, evenly thinned out to a few hundred: predicted cost against
    measured cost, on log axes."""
    plot, axes = one_panel("Measured against predicted write cost")
    costs: list[float] = []
    for at, model in enumerate(models):
        cells = model.choice.best.residuals
        cells = cells.iloc[:: math.ceil(len(cells) / _MOST_CELLS)]
        axes.plot(
            cells["predicted_ms"], cells["measured_ms"], MARKERS[at % MOST],
            color=COLOURS[at % MOST], label=model.arm, alpha=0.85,
        )  # fmt: skip
        costs += [*cells["predicted_ms"], *cells["measured_ms"]]
    ends = (min(costs) / 1.5, max(costs) * 1.5)
    axes.plot(ends, ends, color=INK, linewidth=1, label="equal", zorder=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    cost_axis(axes.xaxis)
    cost_axis(axes.yaxis)
    axes.set_xlabel("predicted write cost (ms)")
    axes.set_ylabel("measured write cost (ms)")
    legend(axes, "design")
    return plot
