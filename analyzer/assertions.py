"""`check`: assertions on the counts, costs and ceilings of a run, judged by intervals."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from analyzer.arms import Scenario
from analyzer.errors import UsageError
from analyzer.formula import Formula
from analyzer.own import nearest
from analyzer.store import Run
from analyzer.units import milliseconds

COUNTS = {
    "seeks": "index_seeks",
    "view_calls": "view_calls",
    "rows_scanned": "rows_scanned",
    "deliveries": "deliveries",
    "fuel": "fuel",
}
"""Per write: the words of an assertion and the columns of a run's frame. All but fuel, which
differs from window to window by one part in ten million, are exact."""
COSTS = ("write_ms", "reducer_ms", "update_ms")
QUANTITIES = (*COUNTS, *COSTS, "ceiling", "void")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<=": operator.le, ">=": operator.ge,
    "<": operator.lt, ">": operator.gt,
}  # fmt: skip
_ASSERTION = re.compile(
    r"\s*(?P<arm>\*|\w+)\s*\.\s*(?P<quantity>\w+)\s*(?:\[(?P<cells>[^\]]*)\])?"
    r"\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<wanted>.+?)\s*"
)
_SHAPE = "ARM.QUANTITY[clients=S,rows=R] OPERATOR VALUE, as 'per_sender.seeks == S*(4*R+1)+1'"


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion as written and taken apart; `clients` and `rows` are None for every one."""

    text: str
    arm: str
    quantity: str
    sign: str
    wanted: str
    clients: int | None
    rows: int | None
    budget_ms: float | None

    def holds(self, value: float, wanted: float) -> bool:
        """Whether `value` is to `wanted` as asserted."""
        return _OPERATORS[self.sign](value, wanted)

    @property
    def number(self) -> float:
        """The value asserted of a cost, a ceiling or void cells."""
        value = float(self.wanted.removesuffix("ms"))
        if not isfinite(value):
            raise ValueError
        return value


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an assertion came to over the `checked` cells, arms or ceilings that it speaks of.

    `failures` has a sentence for each of them where it does not hold; none means that it holds.
    """

    assertion: str
    checked: int
    failures: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.failures

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data."""
        return {**asdict(self), "holds": self.holds}


def check(run: Run, assertions: Sequence[str]) -> tuple[Verdict, ...]:
    """Hold a run to `assertions`, such as `per_sender.seeks == S*(4*G+1)+1`.

    Counts are exact and must hold in every repeat of every cell that is meant, void ones
    included. A cost in ms per write is judged by its 95 % interval: `<` must hold for the upper
    end, `>` for the lower; a ceiling in clients likewise. docs/ci/README.md has the grammar.

    Raises
    ------
    UsageError
        When an assertion cannot be read, or names no arm, quantity or cell of this run.
    RunError
        When the run is not complete.
    """
    from analyzer.evidence import Evidence

    parsed = [parse(text, run.plan.definition) for text in assertions]
    evidence = Evidence(run)
    return tuple(evidence.judge(assertion) for assertion in parsed)


def parse(text: str, scenario: Scenario) -> Assertion:
    """Take one assertion apart. Raises UsageError naming what cannot be read."""
    found = _ASSERTION.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} is no assertion: write {_SHAPE}")
    quantity, sign, wanted = found["quantity"], found["sign"], found["wanted"]
    if quantity not in QUANTITIES:
        raise UsageError(f"{text!r}: no quantity {quantity!r}: {nearest(quantity, QUANTITIES)}")
    if quantity in (*COSTS, "ceiling") and sign in ("==", "!="):
        raise UsageError(f"{text!r}: {quantity} has an interval, no one value: use < <= > or >=")
    cells: dict[str, Any] = {"clients": None, "rows": None, "budget_ms": None}
    places = {"clients": "clients", "S": "clients", "rows": "rows", "R": "rows",
              scenario.row_flag: "rows", scenario.row_symbol: "rows"}  # fmt: skip
    for item in (found["cells"] or "").split(","):
        name, _, value = (part.strip() for part in item.partition("="))
        if name == "budget" and quantity == "ceiling":
            cells["budget_ms"] = milliseconds(value)
        elif quantity == "ceiling" and places.get(name) == "clients":
            raise UsageError(f"{text!r}: a ceiling is a number of clients: say which rows")
        elif name in places and value.isascii() and value.isdigit():
            cells[places[name]] = int(value)
        elif name in places:
            raise UsageError(f"{text!r}: {name}={value!r} is not a whole number")
        elif item.strip():
            raise UsageError(f"{text!r}: no cell by {name!r}: {nearest(name, places)}")
    asserted = Assertion(text.strip(), found["arm"], quantity, sign, wanted, **cells)
    try:
        _ = Formula(wanted) if quantity in COUNTS else asserted.number
    except ValueError:
        raise UsageError(f"{text!r}: {wanted!r} is not a number") from None
    return asserted
