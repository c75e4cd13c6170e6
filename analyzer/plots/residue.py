"""The residue of clients that left, minute by minute."""

from __future__ import annotations

from matplotlib.figure import Figure

from analyzer.experiments.lab import Records
from analyzer.plots.style import BUDGET, COLOURS, INK, new_plot, styled

_MARKS = {"left": "clients left", "expired": "cleanup called"}
_MOST_MARKS = 3
"""Under churn clients leave all the time: no line for each."""


@styled
def residue_timeline(found: Records) -> Figure:
    """Draw clients and ghosts over the minutes since the launch, and below what a write cost.

    `found` is what `load_records` reads from a run of the residue experiment.
    """
    writes = [record for record in found.records if record["kind"] == "write"]
    minutes = [record["min"] for record in writes]
    plot = new_plot("What clients that left go on costing", height=4.6)
    plot.subplots_adjust(left=0.105, right=0.975, top=0.84, bottom=0.11, hspace=0.13)
    counts, costs = plot.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    counts.step(
        minutes, [r["clients"] for r in writes], where="post", color=COLOURS[0], label="clients"
    )
    counts.plot(
        minutes, [r["view_calls"] - r["clients"] for r in writes], "o", color=COLOURS[4],
        label="ghosts, counted", markersize=3.5,
    )  # fmt: skip
    counts.step(
        minutes, [r["ghosts_predicted"] for r in writes], where="post", color=INK, linewidth=1,
        linestyle=(0, (4, 2)), label="ghosts, by the engine's rule",
    )  # fmt: skip
    known = [r for r in writes if r["reducer_ms"] is not None and r["update_ms"] is not None]
    costs.plot(
        [r["min"] for r in known], [r["reducer_ms"] + r["update_ms"] for r in known], "o",
        color=COLOURS[2], markersize=3, linestyle="-", linewidth=0.6,
    )  # fmt: skip
    _events(found, plot)
    counts.set_ylim(bottom=0)
    costs.set_ylim(bottom=0)
    counts.set_ylabel("view instances")
    costs.set_ylabel("write cost (ms)")
    costs.set_xlabel("minutes since the database's launch")
    counts.legend(ncols=3, loc="lower left", bbox_to_anchor=(-0.02, 1.06), borderaxespad=0)
    return plot


def _events(found: Records, plot: Figure) -> None:
    heights = dict(zip(_MARKS, (0.7, 0.5), strict=True))
    marks = [record for record in found.records if record["kind"] in _MARKS]
    if len(marks) > _MOST_MARKS:
        return
    for mark in marks:
        for axes in plot.axes:
            axes.axvline(mark["min"], color=BUDGET, linewidth=1)
        plot.axes[0].annotate(
            _MARKS[mark["kind"]], (mark["min"], heights[mark["kind"]]),
            xycoords=("data", "axes fraction"), xytext=(-3, 0), textcoords="offset points",
            ha="right", va="center", color=BUDGET, size=8,
        )  # fmt: skip
