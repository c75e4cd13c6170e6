"""What a scenario is made of: a module, its row axis, and arms that declare what they count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyzer.calls import Call, fill, tables
from analyzer.errors import UsageError
from analyzer.formula import Formula

COUNTS = ("seeks", "view_calls", "rows_scanned", "deliveries")
"""What an arm can declare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One view design. Counts are exact, per write, as the server counts; None is undeclared."""

    name: str
    summary: str
    queries: tuple[str, ...]
    """What each client subscribes to, with places as in `analyzer.calls.fill`."""
    write: Call
    client_call: Call | None = None
    """What a client calls before it subscribes, under its own identity."""
    every: int = 1
    """Clients 0, `every`, 2 * `every` and so on make the `client_call`, the others do not."""
    rows_of: str = ""
    """The arm whose rows each client must see in the end, row by row."""
    seeks: Formula | None = None
    view_calls: Formula | None = None
    rows_scanned: Formula | None = None
    deliveries: Formula | None = None
    """Updates a client receives per write to what it looks at."""

    @property
    def own_row(self) -> bool:
        """Whether each client looks at one row, its own: number `client` modulo rows."""
        return any("{i}" in query for query in self.queries)

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables and views that clients subscribe to."""
        return tuple(name for query in self.queries for name in tables(query))

    def queries_of(self, client: int, rows: int) -> list[str]:
        return [fill(query, i=client % rows, rows=rows, client=client) for query in self.queries]

    def written_rows(self, clients: int, rows: int) -> int:
        """Writes go round so many rows: all, or those that somebody looks at."""
        return (min(clients, rows) or rows) if self.own_row else rows

    def due(self, clients: int, rows: int, written: Sequence[int]) -> tuple[int, ...] | None:
        """Updates due to each client after one write to each of the rows `written`."""
        if self.deliveries is None:
            return None
        each = self.deliveries(clients, rows)
        if not self.own_row:
            return (each * len(written),) * clients
        return tuple(each * list(written).count(client % rows) for client in range(clients))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    name: str
    module: str
    """A test module of ours, or the WASM file of the user's own."""
    database: str = ""
    """A database that exists already and is measured in the place of fresh ones."""
    row_flag: str
    """The command-line flag of the row axis: `rooms`, `entrants`."""
    row_noun: str
    row_symbol: str
    seed: Call | None
    """Called once in each fresh database, by its owner."""
    arms: tuple[Arm, ...]
    default_arms: tuple[str, ...]

    def arm(self, name: str) -> Arm:
        """Raises UsageError naming the arms there are."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        known = ", ".join(arm.name for arm in self.arms)
        raise UsageError(f"scenario {self.name!r} has no arm {name!r}: it has {known}")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Scenario:
        """The scenario that `dataclasses.asdict` and JSON made `data` of."""
        arms = tuple(_arm(arm) for arm in data["arms"])
        seed = data["seed"] and Call(data["seed"])
        lists = {"default_arms": tuple(data["default_arms"]), "arms": arms, "seed": seed}
        return cls(**{**data, **lists})


def _arm(data: Mapping[str, Any]) -> Arm:
    texts = {name: Formula(data[name]) for name in COUNTS if data[name] is not None}
    called = data["client_call"] and Call(data["client_call"])
    given = {"queries": tuple(data["queries"]), "write": Call(data["write"])}
    return Arm(**{**data, **texts, **given, "client_call": called})
