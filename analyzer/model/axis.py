"""How a scenario names its rows: `room` and `G` in the lobby, `entrant` and `F` in a tournament."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.scenarios import SCENARIOS


@dataclass(frozen=True, slots=True)
class RowAxis:
    """Noun, symbol and command-line flag of the row axis of one scenario."""

    noun: str
    symbol: str
    flag: str


def row_axis(scenario: str) -> RowAxis:
    """Return the row axis of `scenario`; a module of the user's own has plain rows, `R`."""
    known = SCENARIOS.get(scenario)
    if known is None:
        return RowAxis("row", "R", "rows")
    return RowAxis(known.row_noun, known.row_symbol, known.row_flag)
