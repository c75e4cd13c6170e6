"""A ceiling measured: which cells prove it, and by how much it missed."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from analyzer.errors import FitError
from analyzer.records import Cell

if TYPE_CHECKING:
    from analyzer.model.analysis import Analysis, ArmAnalysis
    from analyzer.model.ceiling import Ceiling


@dataclass(frozen=True, slots=True)
class Verified:
    """A cell at a predicted ceiling, or near it, predicted and measured; costs in ms per write."""

    cell: Cell
    ceiling: int
    """Clients of the ceiling that it tells of."""
    predicted_ms: float
    low_ms: float | None
    high_ms: float | None
    """95 % interval for the mean of so many new repeats; None without repeats in the sweep."""
    measured_ms: float
    allowed_ms: float
    slope: float
    """Of the form at the ceiling, on log axes: 2 where the cost goes with the square of S."""
    beside: int | None
    """Clients of the sweep's nearest cell, which was measured again."""
    drift: float | None
    """Its cost now over its cost in the sweep: what the machine alone has changed."""

    @property
    def crossing(self) -> float:
        """S at which the measured cost would be the budget."""
        return self.cell.clients * math.pow(self.allowed_ms / self.measured_ms, 1 / self.slope)

    @property
    def miss(self) -> float:
        """How far the predicted ceiling is from the crossing: 0.1 is 10 % too many clients."""
        return self.ceiling / self.crossing - 1

    @property
    def miss_without_drift(self) -> float | None:
        """`miss`, were the machine as fast as in the sweep; None when that is unknown."""
        if self.drift is None:
            return None
        return (1 + self.miss) / math.pow(self.drift, 1 / self.slope) - 1

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data, the cell's own fields beside the others."""
        data = asdict(self)
        cell: dict[str, Any] = data.pop("cell")
        return (
            cell
            | data
            | {
                "crossing": self.crossing,
                "miss": self.miss,
                "miss_without_drift": self.miss_without_drift,
            }
        )

    def __str__(self) -> str:
        """Return `lobby/per_sender S=88 R=64: 50.0 ms foretold, 47.1 measured; ...`."""
        side = "too high" if self.miss > 0 else "too low"
        return (
            f"{self.cell}: {self.predicted_ms:.3g} ms foretold, {self.measured_ms:.3g} measured; "
            f"the budget of {self.allowed_ms:.3g} ms is reached near S={self.crossing:.0f}, "
            f"the ceiling is {100 * abs(self.miss):.0f} % {side}"
        )


@dataclass(frozen=True, slots=True)
class Verification:
    """Ceilings that were measured, and a sentence for each that was not."""

    found: tuple[Verified, ...]
    missing: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data; unknown is None."""
        return {
            "found": [item.to_dict() for item in self.found],
            "missing": list(self.missing),
        }


VERIFIED_COLUMNS = (
    "scenario", "arm", "rows", "ceiling", "clients", "allowed_ms", "predicted_ms", "low_ms",
    "high_ms", "measured_ms", "crossing", "miss", "beside", "drift", "miss_without_drift",
)  # fmt: skip


def verified_csv(verification: Verification) -> str:
    """Return the content of verified.csv; blank is unknown."""
    text = io.StringIO()
    table = csv.DictWriter(text, VERIFIED_COLUMNS, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(item.to_dict() for item in verification.found)
    return text.getvalue()


def cells_to_verify(analysis: Analysis) -> tuple[Cell, ...]:
    """The cell at every finite ceiling of at least one client, in the order of the analysis."""
    return tuple(
        Cell(arm.scenario, arm.arm, item.clients, item.rows)
        for arm, item in _ceilings(analysis)
        if item.clients
    )


def verify(
    analysis: Analysis,
    cell: Cell,
    measured_ms: float,
    *,
    repeats: int = 1,
    beside: int | None = None,
    drift: float | None = None,
) -> Verified:
    r"""Hold the measured cost of `cell`, at a ceiling or near it, against its prediction.

    Near the ceiling the cost goes with :math:`S^p`, p being the form's own slope there on log
    axes, so the measured cost :math:`y` is the budget B at :math:`S (B/y)^{1/p}`.

    Parameters
    ----------
    analysis, cell
        The prediction.
    measured_ms, repeats
        Mean cost in ms per write, and of how many repeats.
    beside, drift
        Clients of a cell of the sweep measured again, and its cost now over its cost then.

    Raises
    ------
    FitError
        When there is no finite ceiling at its rows, or its cost is not above 0.
    """
    if not measured_ms > 0:
        raise FitError(f"{cell} has no cost to hold against its prediction")
    for arm, item in _ceilings(analysis):
        if arm.model and item.clients and _alike(cell, arm, item):
            predicted = arm.model.predict(cell.clients, cell.rows)
            more = arm.model.predict(1.01 * cell.clients, cell.rows)
            slope = math.log(more / predicted) / math.log(1.01)
            ends = arm.model.interval(cell.clients, cell.rows, repeats=repeats)
            low, high = ends or (None, None)
            return Verified(
                cell, item.clients, predicted, low, high, measured_ms, item.budget_ms, slope,
                beside, drift,
            )  # fmt: skip
    raise FitError(f"{cell} is at no ceiling of this analysis")


def _alike(cell: Cell, arm: ArmAnalysis, item: Ceiling) -> bool:
    return (cell.scenario, cell.arm, cell.rows) == (arm.scenario, arm.arm, item.rows)


def _ceilings(analysis: Analysis) -> Iterator[tuple[ArmAnalysis, Ceiling]]:
    return ((arm, item) for arm in analysis.arms for item in arm.ceilings)
