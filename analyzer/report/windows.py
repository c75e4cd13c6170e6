"""Every cell with its windows, for a reader who wants to see what a number was made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.model.axis import row_axis
from analyzer.records import Cell, Observation
from analyzer.report.numbers import cost
from analyzer.store import Run

_MOST = 4000
"""Windows in one page at most; observations.jsonl has them all."""
_FEWEST = 2
"""Shown of each cell even so."""


@dataclass(frozen=True, slots=True)
class CellWindows:
    """One cell: labels and numbers as text, and a line for each window that is shown."""

    texts: tuple[str, ...]
    void: bool
    windows: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class WindowTable:
    columns: tuple[str, ...]
    cells: tuple[CellWindows, ...]

    @property
    def left_out(self) -> int:
        """Windows that are not shown."""
        return sum(cell.count - len(cell.windows) for cell in self.cells)


def window_table(run: Run) -> WindowTable:
    """The cells of a run in the order of its arms, void windows before the others."""
    groups: dict[Cell, list[Observation]] = {}
    for window in run.observations:
        if not window.control:
            groups.setdefault(window.cell, []).append(window)
    places = {arm.name: place for place, arm in enumerate(run.plan.definition.arms)}
    cells = sorted(groups, key=lambda cell: (places[cell.arm], cell.clients, cell.rows))
    shown = max(_FEWEST, _MOST // max(1, len(cells)))
    columns = ("design", "clients", f"{row_axis(run.plan.scenario).noun}s", "lowest ms",
               "highest ms", "verdict", "windows")  # fmt: skip
    return WindowTable(columns, tuple(_cell(cell, groups[cell], shown) for cell in cells))


def _cell(cell: Cell, windows: Sequence[Observation], shown: int) -> CellWindows:
    costs = [window.write_ms for window in windows if window.write_ms is not None]
    void = sum(window.verdict != "ok" for window in windows)
    ordered = sorted(windows, key=lambda w: (w.verdict == "ok", w.repeat, w.window))
    return CellWindows(
        (
            cell.arm,
            f"{cell.clients:,}",
            f"{cell.rows:,}",
            cost(min(costs, default=None)),
            cost(max(costs, default=None)),
            f"{void} void" if void else "ok",
        ),
        void > 0,
        tuple(_line(window) for window in ordered[:shown]),
        len(windows),
    )


def _line(window: Observation) -> str:
    """`repeat 1.2: 6 writes at 35.3 ms (35.2 + 0.140), 40,011 seeks, p99 37.2 ms`."""
    seeks = ""
    if window.index_seeks is not None and window.writes and not window.uncounted:
        seeks = f", {window.index_seeks / window.writes:,.10g} seeks"
    return (
        f"repeat {window.repeat + 1}.{window.window + 1}: {window.writes:,} writes at "
        f"{cost(window.write_ms)} ms ({cost(window.reducer_ms)} + {cost(window.update_ms)})"
        f"{seeks}, p99 {cost(window.latency_p99_ms)} ms"
        f"{'; void: ' + '; '.join(window.reasons) if window.reasons else ''}"
    )
