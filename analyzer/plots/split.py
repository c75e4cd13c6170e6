"""Where the lock time of a write goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from analyzer.frames import cells_frame
from analyzer.model.axis import row_axis
from analyzer.plots.style import COLOURS, INK, new_plot, styled
from analyzer.records import SPLIT
from analyzer.report.numbers import number
from analyzer.thin import pick

if TYPE_CHECKING:
    import pandas as pd

_NAMES = {
    "reducer_body_ms": "reducer's own body",
    "view_body_ms": "view bodies",
    "materialize_ms": "materializing results",
    "commit_ms": "merge and commit",
    "reducer_ms": "reducer, views included",
    "update_ms": "updates to clients",
}
_HATCHES = ("", "//", "", "\\\\", "")
_MOST_BARS = 16


@styled
def time_split(frame: pd.DataFrame, arm: str) -> Figure:
    """Draw the parts of the write cost of `arm` as stacked shares, a bar for each cell.

    `frame` is as `Run.frame` gives it. A server that does not tell the parts of the reducer time
    gets two: reducer and updates. Of many cells, those with the most clients are shown.
    """
    cells = cells_frame(frame[frame["arm"] == arm])
    cells = cells[cells["clients"] > 0].sort_values(["rows", "clients"])
    if len(cells) > _MOST_BARS:
        cells = cells[cells["clients"] == cells["clients"].max()]
        cells = cells[cells["rows"].isin(pick([int(r) for r in cells["rows"]], _MOST_BARS))]
    told = bool(cells.loc[cells["verdict"] == "ok", SPLIT].notna().all(axis=None))
    axis = row_axis(str(frame["scenario"].iloc[0]))
    plot = new_plot(f"Where the write cost of {arm} goes")
    plot.subplots_adjust(left=0.105, right=0.975, top=0.74, bottom=0.2)
    axes = plot.subplots()
    places = range(len(cells))
    bottom = cells["write_ms"] * 0.0
    for at, part in enumerate([*(SPLIT if told else ["reducer_ms"]), "update_ms"]):
        share = 100 * cells[part] / cells["write_ms"]
        axes.bar(
            places, share, 0.8, bottom=bottom, color=COLOURS[at], label=_NAMES[part],
            hatch=_HATCHES[at], edgecolor="#ffffff", linewidth=0.5,
        )  # fmt: skip
        bottom = bottom + share
    for place, cell in zip(places, cells.to_dict("records"), strict=True):
        whole = cell["verdict"] == "ok"
        axes.text(
            place, 101 if whole else 2, number(cell["write_ms"]) if whole else "void",
            ha="center", va="bottom", size=7.5, rotation=0 if whole else 90,
        )  # fmt: skip
    axes.grid(visible=False, axis="x")
    axes.set_ylim(0, 110)
    axes.set_yticks(range(0, 101, 20))
    axes.set_ylabel("share of the write cost (%)")
    axes.set_xticks(
        places,
        [f"{s:,}\n{r:,}" for s, r in zip(cells["clients"], cells["rows"], strict=True)],
        size=7.5,
    )
    axes.set_xlabel(f"clients S over {axis.noun}s {axis.symbol}")
    axes.text(1, 1.015, "write cost in ms", transform=axes.transAxes, ha="right", va="bottom",
              size=8, color=INK)  # fmt: skip
    axes.legend(
        ncols=3, loc="lower left", bbox_to_anchor=(-0.03, 1.09), handlelength=1.2, borderaxespad=0,
        columnspacing=1.2,
    )  # fmt: skip
    return plot
