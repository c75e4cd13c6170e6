"""What a sweep leaves behind: one Observation per window, immutable, JSON in and out."""

from __future__ import annotations

import functools
from dataclasses import asdict, dataclass, fields
from typing import Any

SPLIT = ["reducer_body_ms", "view_body_ms", "materialize_ms", "commit_ms"]
"""The parts of `reducer_ms`, one upon the other: the reducer's own body, view bodies, running
queries and writing what views returned, and the remainder: read-set merge and commit."""

_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,), "bool": (bool,), "int": (int,), "float": (int, float), "None": (type(None),)
}  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Cell:
    """One point of the grid: a view design under `clients` subscribers over `rows` rows."""

    scenario: str
    arm: str
    clients: int
    rows: int

    def __str__(self) -> str:
        return f"{self.scenario}/{self.arm} S={self.clients} R={self.rows}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One window of writes between two scrapes.

    Counts are sums over the window; `*_ms` are means per write unless the name says otherwise.
    None is unknown, never zero.
    """

    scenario: str
    arm: str
    clients: int
    rows: int
    repeat: int
    window: int
    windows: int
    control: bool = False
    """The first cell measured once more at the end, to show drift; kept out of every fit."""
    database: str

    writes: int
    """Writes acknowledged to the writer."""
    committed: int | None
    rolled_back: int | None
    reducer_ms: float | None
    """Wall time inside the write lock, view refresh included (transaction type Reducer)."""
    update_ms: float | None
    """Subscription evaluation while writers still wait (transaction type Update)."""
    body_ms: float | None = None
    """The reducer's own body, a part of `reducer_ms`; like all parts truncated to 1 us a call."""
    view_ms: float | None
    """View bodies and materialization, a part of `reducer_ms`."""
    view_body_ms: float | None = None
    """View bodies alone, a part of `view_ms`."""

    index_seeks: int | None
    update_seeks: int | None
    view_calls: int | None
    rows_scanned: int | None
    uncounted: bool = False
    """Query-builder views are among those subscribed to: the server counts neither their seeks
    nor the rows they scan, so both are the reducer's alone."""
    fuel: int | None
    bytes_sent: int | None

    deliveries: int
    deliveries_low: int
    deliveries_high: int
    """Updates received by the client that received least, and most."""
    live_clients: int

    rate: float | None
    """Writes per second asked for; None is a closed loop."""
    achieved: float
    late_writes: int
    latency_p50_ms: float
    latency_p99_ms: float
    latency_max_ms: float
    loop_lag_ms: float
    generator_cpu: float
    connect_s: float
    """Seconds it took to connect the subscribers that this step added."""
    wall_s: float
    """Seconds of the window: first write to last acknowledgement."""
    step_s: float
    """Seconds of the whole step: connecting, warm-up, all windows and the waits between."""

    verdict: str = "ok"
    reasons: tuple[str, ...] = ()

    @property
    def cell(self) -> Cell:
        return Cell(self.scenario, self.arm, self.clients, self.rows)

    @property
    def write_ms(self) -> float | None:
        """Write cost: reducer plus update time, per write, in ms."""
        if self.reducer_ms is None or self.update_ms is None:
            return None
        return self.reducer_ms + self.update_ms

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"reasons": list(self.reasons)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Observation:
        """Unknown keys are dropped. Raises TypeError or ValueError naming the value that is bad."""
        kept = {n: _checked(n, kinds, data[n]) for n, kinds in _kinds().items() if n in data}
        return cls(**kept)


@dataclass(frozen=True, slots=True)
class Void:
    """A repeat of a cell, or the drift control, that takes no part in anything."""

    cell: Cell
    repeat: int
    control: bool
    reason: str


@functools.cache
def _kinds() -> dict[str, tuple[type, ...]]:
    """The types a value may have, field by field, going by the words of the annotations."""
    words = {field.name: str(field.type).split(" | ") for field in fields(Observation)}
    return {
        name: tuple(kind for word in alternatives for kind in _TYPES.get(word, (tuple,)))
        for name, alternatives in words.items()
    }


_MOST = 1e15
"""No count and no time of a window comes near it; sums of larger ones would break."""


def _checked(name: str, kinds: tuple[type, ...], value: Any) -> Any:
    """A value as it may stand in the field `name`."""
    if name == "reasons" and isinstance(value, list):
        return tuple(map(str, value))
    if type(value) not in kinds:
        raise TypeError(f"its {name} is {value!r}")
    if isinstance(value, (int, float)) and not 0 <= value < _MOST:
        raise ValueError(f"its {name} is {value}")
    return value
