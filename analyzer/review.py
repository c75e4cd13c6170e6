"""A design review: every arm of a run side by side at one size, and which one to ship."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from analyzer.arms import Arm, Scenario
from analyzer.errors import FitError, RunError, UsageError
from analyzer.frames import cells_frame
from analyzer.model.analysis import Analysis, ArmAnalysis, base_arm
from analyzer.model.axis import row_axis
from analyzer.model.budget import Budget
from analyzer.model.ceiling import Ceiling, ceiling

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Design:
    """One arm at the size that is decided for; None is unknown."""

    arm: str
    seeks: int | None
    seeks_law: str
    view_calls: int | None
    write_ms: float | None
    predicted: bool
    """Whether the cost is the model's, since this cell was not measured."""
    ceiling: Ceiling | None
    times_cheaper: float | None
    same_rows: bool
    """Whether every client was seen to hold exactly the rows of the base; true of the base."""
    moving: tuple[str, ...]
    """What it takes to move there from the base."""
    reason: str
    """Why there is no cost, if there is none."""


@dataclass(frozen=True, slots=True)
class Review:
    scenario: str
    base: str
    """The design that the others are compared with."""
    clients: int
    rows: int
    budget_ms: float
    designs: tuple[Design, ...]
    unfinished: str
    """How far the run is, if it is not whole."""

    def design(self, name: str) -> Design:
        return next(design for design in self.designs if design.arm == name)

    def within(self, design: Design) -> bool:
        return design.write_ms is not None and design.write_ms <= self.budget_ms

    @property
    def alike(self) -> list[Design]:
        """Designs with a known cost that show what the base shows, cheapest first."""
        known = [d for d in self.designs if d.same_rows and d.write_ms is not None]
        return sorted(known, key=lambda design: design.write_ms or 0.0)

    @property
    def choice(self) -> Design | None:
        """The base while it is within the budget, else the cheapest of `alike` that is."""
        if self.within(base := self.design(self.base)):
            return base
        return next(filter(self.within, self.alike), None)

    def to_dict(self) -> dict[str, Any]:
        choice = self.choice
        return {**asdict(self), "choice": choice and choice.arm}


def review(
    frame: pd.DataFrame,
    analysis: Analysis,
    scenario: Scenario,
    at: tuple[int, int] | None = None,
) -> Review:
    """Review the arms of a run at `at`, clients and rows; by default the largest of both.

    `frame` is as `Run.frame` gives it. Raises RunError when nothing with clients was measured,
    UsageError for a size of no clients or rows.
    """
    if frame.empty:
        raise RunError("no finished cell: there is nothing to review yet")
    clients, rows = at or (int(frame["clients"].max()), int(frame["rows"].max()))
    if not at and not clients:
        raise RunError("no finished cell has clients: there is nothing to review yet")
    if min(clients, rows) < 1:
        raise UsageError(f"--at {clients},{rows}: it takes 1 or more clients and rows")
    base = base_arm(frame)
    cells = cells_frame(frame)
    costs = {arm.arm: _cost(cells, arm, clients, rows) for arm in analysis.arms}
    theirs = costs[base][0]
    designs = []
    for found in analysis.arms:
        write_ms, predicted, reason = costs[found.arm]
        arm = scenario.arm(found.arm)
        seeks = found.laws["index_seeks"]
        calls = found.laws["view_calls"]
        # Rows are checked with the last cell of each database, which is void when they differ.
        whole = bool((cells.loc[cells["arm"] == found.arm, "verdict"] == "ok").all())
        designs.append(
            Design(
                arm=found.arm,
                seeks=seeks.value(clients, rows) if seeks.exact else None,
                seeks_law=seeks.formula(row_axis(scenario.name)) if seeks.exact else "",
                view_calls=calls.value(clients, rows) if calls.exact else None,
                write_ms=write_ms,
                predicted=predicted,
                ceiling=_ceiling(found, rows, analysis.budget),
                times_cheaper=theirs / write_ms if theirs and write_ms else None,
                same_rows=base == found.arm or (base == arm.rows_of and whole),
                moving=_moving(arm, scenario.arm(base)),
                reason=reason,
            )
        )
    return Review(
        scenario.name,
        base,
        clients,
        rows,
        analysis.budget.allowed_at(clients),
        tuple(designs),
        analysis.unfinished,
    )


def _cost(
    cells: pd.DataFrame, arm: ArmAnalysis, clients: int, rows: int
) -> tuple[float | None, bool, str]:
    """Write cost in ms, whether it is predicted, and why there is none."""
    here = (cells["arm"] == arm.arm) & (cells["clients"] == clients) & (cells["rows"] == rows)
    for cell in cells[here].to_dict("records"):
        if cell["verdict"] == "ok" and cell["write_ms"] == cell["write_ms"]:
            return float(cell["write_ms"]), False, ""
        return None, False, str(cell["reason"] or "its time is unknown")
    if arm.model is None:
        return None, True, arm.refusal
    return arm.model.predict(clients, rows), True, ""


def _ceiling(arm: ArmAnalysis, rows: int, budget: Budget) -> Ceiling | None:
    """None where there is no model, or none for so many rows."""
    if arm.model is None:
        return None
    try:
        return ceiling(arm.model, budget, rows=rows)
    except FitError:
        return None


def _moving(arm: Arm, base: Arm) -> tuple[str, ...]:
    """What changes for the module and its clients."""
    if arm is base:
        return ()
    told = []
    if new := [name for name in arm.tables if name not in base.tables]:
        told.append(f"add {' and '.join(new)}")
    else:
        told.append("nothing changes in the module, clients only ask for less")
    if arm.write.reducer != base.write.reducer:
        told.append("every reducer that writes these rows must keep the new table up to date")
    if len(arm.queries) > len(base.queries):
        told.append(f"clients subscribe to {len(arm.queries)} things and put them together")
    if arm.own_row and not base.own_row:
        told.append("each client sees its one row: for screens that show no more")
    return tuple(told)
