"""What a run says to an assertion: exact counts, and the cautious end of every interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, isinf
from typing import TYPE_CHECKING

from analyzer.assertions import COUNTS, Assertion, Verdict
from analyzer.errors import FitError, RunError, UsageError
from analyzer.formula import Formula
from analyzer.model.analysis import BUDGET_MS
from analyzer.model.ceiling import Ceiling, Status, ceiling
from analyzer.model.cells import samples
from analyzer.model.model import Model, fit
from analyzer.model.spread import cost_intervals
from analyzer.own import nearest
from analyzer.store import Run

if TYPE_CHECKING:
    import pandas as pd

_Cells = list[tuple[int, int, "pd.DataFrame"]]


class Evidence:
    """What one run says, each arm fitted once at most.

    Raises RunError for a run that is not complete: cells that are missing assert nothing.
    """

    def __init__(self, run: Run) -> None:
        if not run.complete:
            raise RunError(
                f"{run.path} is not complete: the command that began it goes on, then check"
            )
        self.frame = run.frame()
        self._run = run
        self._models: dict[str, Model] = {}

    def judge(self, asked: Assertion) -> Verdict:
        """Hold the run to one assertion. Raises UsageError when it has no such arm or cell."""
        known = list(self.frame["arm"].unique())
        if asked.arm != "*" and asked.arm not in known:
            raise UsageError(f"{asked.text!r}: no arm {asked.arm!r}: {nearest(asked.arm, known)}")
        names = known if asked.arm == "*" else [asked.arm]
        judged = [told for name in names for told in self._of_arm(asked, name)]
        return Verdict(asked.text, len(judged), tuple(told for told in judged if told))

    def _of_arm(self, asked: Assertion, name: str) -> Iterator[str]:
        """A sentence for each thing that is asserted, empty where it holds."""
        arm = self.frame[self.frame["arm"] == name]
        cells = _meant(asked, arm)
        label = _Label(name, asked.quantity, self._run.plan.definition.row_symbol)
        if asked.quantity in COUNTS:
            yield from _counts(asked, label, cells)
        elif asked.quantity == "void":
            void = sum(bool((cell["verdict"] != "ok").any()) for _, _, cell in cells)
            yield _told(asked, str(label), void, asked.number)
        elif asked.quantity == "ceiling":
            yield from self._ceilings(asked, label, sorted({rows for _, rows, _ in cells}))
        elif self._run.mixed:
            yield f"{label}: no interval: {self._run.mixed}"
        else:
            yield from _costs(asked, label, arm, cells)

    def _ceilings(self, asked: Assertion, label: _Label, every_rows: list[int]) -> Iterator[str]:
        run, arm = self._run, label.arm
        budget_ms = asked.budget_ms or run.manifest.get("analysis", {}).get("budget_ms", BUDGET_MS)
        try:
            model = self._models.get(arm) or fit(run, arm=arm, seed=run.plan.seed)
        except FitError as error:
            yield f"{label}: no ceiling: {error}"
            return
        self._models[arm] = model
        for rows in every_rows:
            name = label.at(None, rows)
            if model.boot.reason:
                yield f"{name}: {model.boot.reason}"
                continue
            found = ceiling(model, budget_ms, rows=rows)
            end, word = _end(asked, found)
            how = f"{word} end; at {budget_ms:g} ms a write: {found}"
            yield _told(asked, name, end, asked.number, how)


@dataclass(frozen=True, slots=True)
class _Label:
    """`per_sender.seeks`, and with its cell `per_sender.seeks[S=10,G=8]`."""

    arm: str
    quantity: str
    symbol: str

    def __str__(self) -> str:
        return f"{self.arm}.{self.quantity}"

    def at(self, clients: int | None, rows: int) -> str:
        place = "" if clients is None else f"S={clients},"
        return f"{self}[{place}{self.symbol}={rows}]"


def _meant(asked: Assertion, arm: pd.DataFrame) -> _Cells:
    """The cells that are spoken of: clients, rows, and one row a repeat."""
    for axis, value in (("clients", asked.clients), ("rows", asked.rows)):
        known = sorted(map(int, arm[axis].unique()))
        if value is not None and value not in known:
            near = min(known, key=lambda other: abs(other - value))
            raise UsageError(
                f"{asked.text!r}: {axis}={value} was not measured: did you mean {near}?"
            )
    cells: _Cells = [
        (int(group["clients"].iloc[0]), int(group["rows"].iloc[0]), group)
        for _, group in arm.groupby(["clients", "rows"])
    ]
    meant = [c for c in cells if asked.clients in (None, c[0]) and asked.rows in (None, c[1])]
    if not meant:
        raise UsageError(
            f"{asked.text!r}: clients={asked.clients}, rows={asked.rows} was not measured"
        )
    return meant


def _counts(asked: Assertion, label: _Label, cells: _Cells) -> Iterator[str]:
    """Each repeat counts, void or not: a wrong count is why a cell is void."""
    law, column = Formula(asked.wanted), COUNTS[asked.quantity]
    for clients, rows, cell in cells:
        name, wanted = label.at(clients, rows), law(clients, rows)
        if cell[column].isna().any():
            yield f"{name} is unknown: {_reason(cell) or 'the server does not count it'}"
            continue
        # Counts of a window divided by its writes: whole ones are exact.
        found = [round(float(value), 9) for value in cell[column].unique()]
        wrong = [value for value in found if not asked.holds(value, wanted)]
        yield _told(asked, name, wrong[0] if wrong else found[0], wanted)


def _costs(asked: Assertion, label: _Label, arm: pd.DataFrame, cells: _Cells) -> Iterator[str]:
    """The interval of a cell is made by the scatter of its whole arm, with clients or without."""
    known: dict[tuple[int, int], tuple[float, float]] = {}
    reasons: dict[bool, str] = {}
    for inhabited in (False, True):
        try:
            data = samples(arm[(arm["clients"] > 0) == inhabited], asked.quantity)
            intervals = zip(data.clients, data.rows, cost_intervals(data), strict=True)
            known |= {(int(s), int(r)): ends for s, r, ends in intervals}
        except FitError as error:
            reasons[inhabited] = str(error)
    for clients, rows, cell in cells:
        name = label.at(clients, rows)
        if (clients, rows) not in known:
            yield f"{name}: {_reason(cell) or reasons.get(clients > 0, 'it is unknown')}"
            continue
        low, high = known[clients, rows]
        end, word = (high, "upper") if asked.sign.startswith("<") else (low, "lower")
        how = f"{word} end of the 95 % interval {low:.3g} to {high:.3g} ms"
        yield _told(asked, name, end, asked.number, how)


def _end(asked: Assertion, found: Ceiling) -> tuple[float, str]:
    """The end of the interval that must hold; beyond what the data carry there is no upper one."""
    if asked.sign.startswith("<"):
        return (inf if found.high is None else found.high), "upper"
    return (inf if found.status is Status.UNLIMITED else found.at_least), "lower"


def _told(asked: Assertion, name: str, value: float, wanted: float, how: str = "") -> str:
    """A sentence when the assertion does not hold, else nothing."""
    if asked.holds(value, wanted):
        return ""
    words = f" ({how})" if how else ""
    return f"{name} is {_plain(value)}, not {asked.sign} {_plain(wanted)}{words}"


def _plain(value: float) -> str:
    if isinf(value):
        return "without an upper end in these data"
    return f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"


def _reason(cell: pd.DataFrame) -> str:
    return next((str(reason) for reason in cell["reason"] if reason), "")
