"""`compare`: two runs, or two arms of one run, cell by cell: counts exactly, costs as ratios."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from math import isclose
from typing import TYPE_CHECKING, Any

from analyzer.errors import FitError, RunError
from analyzer.frames import cells_frame
from analyzer.likeness import unlike
from analyzer.model.cells import Samples, samples, usable
from analyzer.model.contrast import contrast
from analyzer.store import Run

if TYPE_CHECKING:
    import pandas as pd

COUNTS = ("index_seeks", "view_calls", "rows_scanned", "deliveries")
"""Per write and exact; fuel is not, it differs by one part in ten million."""


@dataclass(frozen=True, slots=True)
class CountChange:
    """A count per write that is not the same in both; None is unknown."""

    clients: int
    rows: int
    count: str
    base: float | None
    new: float | None


@dataclass(frozen=True, slots=True)
class CostChange:
    """Cost of `new` over cost of `base`, both in ms per write.

    `low` to `high` is the 95 % interval, and `differs` whether it leaves out 1; all three are None
    without repeats. Over all cells of the arm, `clients`, `rows` and the costs are None.
    """

    clients: int | None
    rows: int | None
    base_ms: float | None
    new_ms: float | None
    ratio: float
    low: float | None = None
    high: float | None = None
    differs: bool | None = None


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """One arm of `base` against one of `new`: every cell that both have measured.

    `cells` are those with subscribers, whose ratios and `over_all`, their geometric mean, hold
    together: where nothing differs, 95 of 100 comparisons tell none of them apart.
    """

    base: str
    new: str
    counted: int
    """Cells whose counts were compared."""
    counts: tuple[CountChange, ...]
    over_all: CostChange | None
    cells: tuple[CostChange, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What `compare` found; `unlike` names what besides the arms differs between the runs."""

    base: str
    new: str
    scenario: str
    unlike: tuple[str, ...]
    arms: tuple[ArmComparison, ...]

    @property
    def same(self) -> bool:
        """Whether no count changed and no cost was told apart."""
        return not any(
            arm.counts or any(cost.differs for cost in (arm.over_all, *arm.cells) if cost)
            for arm in self.arms
        )

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data; unknown is None."""
        return {**asdict(self), "same": self.same}


def compare(
    base: Run, new: Run | None = None, *, arms: tuple[str, str] | None = None, force: bool = False
) -> Comparison:
    """Compare two runs arm by arm, or two `arms` within the run `base`.

    Parameters
    ----------
    base, new
        Runs of the same scenario, alike in server, version, protocol, subscribers, module,
        windows and machine.
    arms
        The names of two arms of `base`, in the place of `new`.
    force
        Compare unlike runs; `Comparison.unlike` names what differs.

    Raises
    ------
    RunError
        When the runs are unlike, an arm was not measured, or no arm is common to both.
    """
    if (new is None) == (arms is None):
        raise RunError("compare takes two runs, or one run and two of its arms")
    other = new or base
    differing = unlike(base, other)
    if differing and not force:
        raise RunError(f"unlike runs: {'; '.join(differing)}: --force compares them all the same")
    frame, theirs = base.frame(), other.frame()
    if arms:
        pairs = [(_rows(frame, arms[0], base), _rows(frame, arms[1], base))]
    else:
        common = [arm for arm in frame["arm"].unique() if (theirs["arm"] == arm).any()]
        pairs = [(_rows(frame, arm, base), _rows(theirs, arm, other)) for arm in common]
    if not pairs:
        raise RunError(f"{base.path} and {other.path} have no measured arm in common")
    return Comparison(
        str(base.path), str(other.path), base.plan.scenario, differing,
        tuple(_compare_arm(*pair) for pair in pairs),
    )  # fmt: skip


def _rows(frame: pd.DataFrame, arm: str, run: Run) -> pd.DataFrame:
    found = frame[frame["arm"] == arm]
    if found.empty:
        known = ", ".join(frame["arm"].unique()) or "none"
        raise RunError(f"{run.path} has no measured arm {arm!r}: it has {known}")
    return found


def _compare_arm(base: pd.DataFrame, new: pd.DataFrame) -> ArmComparison:
    one, other = (_by_cell(cells_frame(frame)) for frame in (base, new))
    both = [cell for cell in one if cell in other]
    over_all, cells, notes = _costs(base, new)
    for name, mine, others in (("BASE", one, other), ("NEW", other, one)):
        if only := [cell for cell in mine if cell not in others]:
            notes += (f"{len(only)} cell(s) only in {name}",)
        if void := [cell for cell in both if mine[cell]["verdict"] != "ok"]:
            notes += (f"{len(void)} cell(s) void in {name}: their costs take no part",)
    return ArmComparison(
        base=str(base["arm"].iloc[0]),
        new=str(new["arm"].iloc[0]),
        counted=len(both),
        counts=tuple(change for cell in both for change in _counts(one[cell], other[cell])),
        over_all=over_all,
        cells=cells,
        notes=notes,
    )


def _by_cell(cells: pd.DataFrame) -> dict[tuple[int, int], dict[Any, Any]]:
    return {(int(cell["clients"]), int(cell["rows"])): cell for cell in cells.to_dict("records")}


def _counts(one: dict[Any, Any], other: dict[Any, Any]) -> Iterator[CountChange]:
    for name in COUNTS:
        base, new = (_known(cell[name]) for cell in (one, other))
        if base is None or new is None:
            changed = base is not new
        else:
            # Counts of windows of unlike length, divided by their writes.
            changed = not isclose(base, new, rel_tol=1e-9)
        if changed:
            yield CountChange(int(one["clients"]), int(one["rows"]), name, base, new)


def _known(value: float) -> float | None:
    return float(value) if value == value else None


def _costs(
    base: pd.DataFrame, new: pd.DataFrame
) -> tuple[CostChange | None, tuple[CostChange, ...], tuple[str, ...]]:
    """Over all and by cell. Without clients a write takes some ten us, mostly noise: left out."""
    known = [usable(frame, "write_ms") for frame in (base, new)]
    keys = [set(zip(frame["clients"], frame["rows"], strict=True)) for frame in known]
    common = {cell for cell in keys[0] & keys[1] if cell[0] > 0}
    if not common:
        return None, (), ("no cell with clients has a known cost in both",)
    try:
        one, other = (_samples_of(frame, common) for frame in known)
    except FitError as error:
        return None, (), (str(error),)
    cells = list(zip(one.clients, one.rows, one.means, other.means, strict=True))
    plain = [
        CostChange(int(s), int(r), float(mine), float(theirs), float(theirs / mine))
        for s, r, mine, theirs in cells
    ]
    try:
        found = contrast(one, other)
    except FitError as error:
        return None, tuple(plain), (str(error),)
    judged = zip(found.ratios, found.intervals, found.told_apart, strict=True)
    whole, *each = [
        CostChange(None, None, None, None, ratio, low, high, differs)
        for ratio, (low, high), differs in judged
    ]
    changes = tuple(
        replace(
            told, clients=cell.clients, rows=cell.rows, base_ms=cell.base_ms, new_ms=cell.new_ms
        )
        for cell, told in zip(plain, each, strict=True)
    )
    return whole, changes, ()


def _samples_of(frame: pd.DataFrame, cells: set[tuple[int, int]]) -> Samples:
    kept = [cell in cells for cell in zip(frame["clients"], frame["rows"], strict=True)]
    return samples(frame[kept])
