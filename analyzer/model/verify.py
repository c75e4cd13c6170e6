"""A ceiling measured: which cells prove it, and by how much it missed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from analyzer.errors import FitError
from analyzer.model.analysis import Analysis, ArmAnalysis
from analyzer.model.ceiling import Ceiling
from analyzer.records import Cell


@dataclass(frozen=True, slots=True)
class Verified:
    """The cell at a predicted ceiling, predicted and measured; costs in ms per write."""

    cell: Cell
    predicted_ms: float
    measured_ms: float
    allowed_ms: float
    crossing: float
    """S at which the measured cost would be the budget."""

    @property
    def miss(self) -> float:
        """How far the predicted ceiling is from the crossing: 0.1 is 10 % too many clients."""
        return self.cell.clients / self.crossing - 1

    def __str__(self) -> str:
        """Return `lobby/per_sender S=88 R=64: 50.0 ms foretold, 47.1 measured; ...`."""
        side = "too high" if self.miss > 0 else "too low"
        return (
            f"{self.cell}: {self.predicted_ms:.3g} ms foretold, {self.measured_ms:.3g} measured; "
            f"the budget of {self.allowed_ms:.3g} ms is reached near S={self.crossing:.0f}, "
            f"the ceiling is {100 * abs(self.miss):.0f} % {side}"
        )


def cells_to_verify(analysis: Analysis) -> tuple[Cell, ...]:
    """The cell at every finite ceiling of at least one client, in the order of the analysis."""
    return tuple(
        Cell(arm.scenario, arm.arm, item.clients, item.rows)
        for arm, item in _ceilings(analysis)
        if item.clients
    )


def verify(analysis: Analysis, cell: Cell, measured_ms: float) -> Verified:
    r"""Hold the measured cost of `cell`, one of `cells_to_verify`, against its prediction.

    Near the ceiling the cost goes with :math:`S^p`, p being the form's own slope there on log
    axes, so the measured cost :math:`y` is the budget B at :math:`S (B/y)^{1/p}`.

    Raises
    ------
    FitError
        When `cell` is not at a ceiling of the analysis, or its cost is not above 0.
    """
    if not measured_ms > 0:
        raise FitError(f"{cell} has no cost to hold against its prediction")
    for arm, item in _ceilings(analysis):
        if arm.model and cell == Cell(arm.scenario, arm.arm, item.clients or 0, item.rows):
            predicted = arm.model.predict(cell.clients, cell.rows)
            more = arm.model.predict(1.01 * cell.clients, cell.rows)
            slope = math.log(more / predicted) / math.log(1.01)
            crossing = cell.clients * (item.budget_ms / measured_ms) ** (1 / slope)
            return Verified(cell, predicted, measured_ms, item.budget_ms, crossing)
    raise FitError(f"{cell} is not at a ceiling of this analysis")


def _ceilings(analysis: Analysis) -> Iterator[tuple[ArmAnalysis, Ceiling]]:
    return ((arm, item) for arm in analysis.arms for item in arm.ceilings)
