"""The plan of a sweep: which cells, in which order. Stored in the manifest, so runs can resume."""

from __future__ import annotations

import itertools
import json
import math
import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from analyzer.arms import Arm, Scenario
from analyzer.build.typescript import check_twin
from analyzer.errors import UsageError
from analyzer.records import Cell
from analyzer.scenarios import SCENARIOS
from analyzer.units import counted

LEAST_WRITES, LEAST_PACED, MOST_WRITES = 3, 10, 100
"""Per window, where the user fixes no number; of a few paced ones the last decides the rate."""
LEAST_RATE, MOST_RATE = 0.1, 100_000.0
SUBSCRIBERS = ("websocket", "engine")
"""Clients over sockets, or the embedded engine's own without."""
LEAST_REPEATS = 3
"""Before `until` is asked: two repeats know their own scatter too badly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is measured. Two runs with equal plans measure the same thing in the same order."""

    scenario: str
    arms: tuple[str, ...]
    clients: tuple[int, ...]
    """Ascending; inside one database subscribers are only ever added."""
    rows: tuple[int, ...]
    repeats: int = 3
    """With `until`, the most."""
    windows: int = 2
    warmup: int = 2
    writes: int | None = None
    """Writes per window; None fits them to cell or rate, see `writes_of`."""
    window_ms: float = 200.0
    rate: float | None = None
    """Writes per second of an open loop; None is a closed loop."""
    protocol: str = "v2.bsatn"
    subscribers: str = "websocket"
    """One of `SUBSCRIBERS`."""
    seed: int = 1
    own: Scenario | None = None
    """The user's own module, where `scenario` is none of ours."""
    language: str = "rust"
    """Of the test module: `rust`, or `typescript` for a server that has V8."""
    until: float | None = None
    """Stop after fewer repeats once every arm's cost is known to this relative error."""

    def __post_init__(self) -> None:
        if self.own is None and self.scenario not in SCENARIOS:
            known = ", ".join(SCENARIOS)
            raise UsageError(f"there is no scenario {self.scenario!r}: choose from {known}")
        if self.definition.database and (len(self.arms), len(self.rows), self.repeats) != (1, 1, 1):
            raise UsageError(
                "a database that exists is measured with one arm, one --rows and --repeats 1: "
                "views of clients that have gone cost its writes for 10 to 20 minutes more"
            )
        for name in self.arms:
            self.definition.arm(name)
        if self.language == "typescript" and self.own:
            raise UsageError("--module-language is that of our test modules: give --module a .js")
        if self.language == "typescript":
            queries = [self.definition.arm(name).queries for name in self.arms]
            check_twin(self.definition.module, itertools.chain(*queries))
        for field in ("arms", "clients", "rows"):
            if not getattr(self, field):
                raise UsageError(f"a sweep needs at least one of its {field}")
        if self.clients[0] < 0 or list(self.clients) != sorted(set(self.clients)):
            raise UsageError(f"clients {self.clients}: they ascend from 0 or more, each once")
        if min(self.rows) < 1:
            raise UsageError(f"{self.definition.row_flag} {self.rows}: each is 1 or more")
        least = {"repeats": 1, "windows": 1, "warmup": 1, "writes": 1, "seed": 0}
        for field, lowest in least.items():
            value = getattr(self, field)
            if value is not None and value < lowest:
                raise UsageError(f"--{field} {value}: it takes {lowest} or more")
        if self.rate is not None and not LEAST_RATE <= self.rate <= MOST_RATE:
            raise UsageError(
                f"--rate {self.rate:g}: it takes {LEAST_RATE:g} to {MOST_RATE:,.0f} writes a second"
            )
        if self.until is not None and not (0 < self.until < 1 and self.repeats > LEAST_REPEATS):
            raise UsageError(
                f"--until takes a percentage between 0 and 100, and more than {LEAST_REPEATS} "
                "--repeats, the most that it may add up to"
            )
        if self.subscribers not in SUBSCRIBERS:
            kinds = ", ".join(SUBSCRIBERS)
            raise UsageError(f"--subscribers {self.subscribers!r}: choose from {kinds}")
        if self.subscribers == "engine":
            self._check_inside()

    def _check_inside(self) -> None:
        """Subscribers inside the engine all do the same, and only count."""
        if self.protocol != "v2.bsatn":
            raise UsageError(f"--subscribers engine speaks v2.bsatn, not {self.protocol}")
        for arm in map(self.definition.arm, self.arms):
            if arm.own_row or arm.client_call or arm.rows_of:
                raise UsageError(
                    f"--subscribers engine: the clients of arm {arm.name!r} differ from each "
                    "other: leave it out, or use --subscribers websocket"
                )

    def writes_of(self, fastest_ms: float) -> int:
        """Writes of one window whose fastest write takes so long: a fixed number, or as many as
        take about `window_ms`, within bounds. Paced, the rate decides."""
        if self.writes is not None:
            return self.writes
        interval_ms = 1e3 / self.rate if self.rate else max(fastest_ms, 1e-3)
        least = LEAST_PACED if self.rate else LEAST_WRITES
        return max(least, min(MOST_WRITES, math.ceil(self.window_ms / interval_ms)))

    @property
    def paced_s(self) -> float:
        """Seconds that pacing alone takes, 0 in a closed loop."""
        if self.rate is None:
            return 0.0
        steps = sum(len(block.clients) for block in self.blocks())
        return steps * self.windows * self.writes_of(0.0) / self.rate

    @property
    def host_type(self) -> str:
        """What runs the module in a server, as its publish call wants to know."""
        script = self.language == "typescript" or self.definition.module.endswith(".js")
        return "Js" if script else "Wasm"

    @property
    def repeats_text(self) -> str:
        """`3 repeats`, `3 to 10 repeats`."""
        least = "" if self.until is None else f"{LEAST_REPEATS} to "
        return least + counted(self.repeats, "repeat")

    @property
    def definition(self) -> Scenario:
        return self.own or SCENARIOS[self.scenario]

    @property
    def cells(self) -> list[Cell]:
        return [
            Cell(self.scenario, arm, clients, rows)
            for arm in self.arms
            for rows in self.rows
            for clients in self.clients
        ]

    def to_dict(self) -> dict[str, Any]:
        """As JSON gives it back; `own` and `until` are left out where there is none."""
        asked = asdict(self).items()
        data = {k: v for k, v in asked if k not in ("own", "until") or v is not None}
        plain: dict[str, Any] = json.loads(json.dumps(data))
        return plain

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Plan:
        lists: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        if own := data.get("own"):
            lists["own"] = Scenario.from_dict(own)
        return cls(**lists)

    def blocks(self) -> Iterator[Block]:
        """One fresh database each, in the order of measuring.

        Within a repeat the rows are shuffled by the seed and the arms of one row count follow
        each other, shuffled too, so that a machine that slows down cannot favour an arm. Last
        comes the first block's cheapest cell with subscribers once more: the drift control.
        """
        shuffle = random.Random(self.seed).shuffle
        ordered: list[Block] = []
        for repeat in range(self.repeats):
            rows = list(self.rows)
            shuffle(rows)
            for count in rows:
                arms = list(self.arms)
                shuffle(arms)
                ordered += [Block(self, arm, count, repeat, self.clients) for arm in arms]
        yield from ordered
        if self.definition.database:
            return  # one database, which by now has every client's views
        smallest = next((count for count in self.clients if count > 0), 0)
        yield replace(ordered[0], clients=(smallest,), control=True)


@dataclass(frozen=True, slots=True)
class Block:
    """The cells that share one database: an arm over `rows` rows, subscribers going up."""

    plan: Plan
    arm_name: str
    rows: int
    repeat: int
    clients: tuple[int, ...]
    control: bool = False

    @property
    def arm(self) -> Arm:
        return self.plan.definition.arm(self.arm_name)

    def steps(self) -> list[Step]:
        return [Step(self, clients) for clients in self.clients]


@dataclass(frozen=True, slots=True)
class Step:
    """One cell in one repeat: the unit that is measured, stored and resumed."""

    block: Block
    clients: int

    @property
    def cell(self) -> Cell:
        return Cell(self.block.plan.scenario, self.block.arm_name, self.clients, self.block.rows)

    @property
    def last(self) -> bool:
        """Whether no other step comes after it in its database."""
        return self.clients == self.block.clients[-1]

    @property
    def key(self) -> tuple[Cell, int, bool]:
        return (self.cell, self.block.repeat, self.block.control)

    @property
    def work(self) -> float:
        """A guess at its relative length for the ETA: seeks of its writes over a fixed part."""
        plan = self.block.plan
        writes = plan.warmup + plan.windows * (plan.writes or 3)
        law = self.block.arm.seeks
        # Undeclared: as if each client read each row once.
        seeks = law(self.clients, self.block.rows) if law else self.clients * self.block.rows
        return 200_000.0 + 2_000.0 * self.clients + writes * seeks
