"""What became of a run of writes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analyzer.stdb.messages import ReducerResult


@dataclass(frozen=True, slots=True)
class WriteRun:
    sent: int
    acknowledged: int
    """Committed."""
    failed: tuple[str, ...]
    """The distinct errors of the others."""
    failed_count: int
    latencies_ms: NDArray[np.float64]
    """Of acknowledged writes: from the intended time in an open loop, else from the send."""
    late: int
    """Open loop: writes sent more than 5 ms and half an interval after their time."""
    achieved: float
    """Writes sent per second."""
    wall_s: float
    """From the first write's time to the last acknowledgement."""
    open_loop: bool


@dataclass(slots=True)
class Tally:
    """The accounts of one run while it goes on."""

    pending_s: dict[int, float] = field(default_factory=dict)
    """Request ids of open calls, with the time from which their latency counts."""
    latencies_ms: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def acknowledged(self) -> int:
        return len(self.latencies_ms)

    @property
    def settled(self) -> int:
        return self.acknowledged + self.errors.total()

    def settle(self, result: ReducerResult, now_s: float) -> None:
        since_s = self.pending_s.pop(result.request_id, None)
        if since_s is None:
            return  # an answer to a run that had given up on it
        if result.error is None:
            self.latencies_ms.append((now_s - since_s) * 1e3)
        else:
            self.errors[result.error] += 1

    def run(self, *, late: int, sending_s: float, wall_s: float, open_loop: bool) -> WriteRun:
        return WriteRun(
            sent=self.settled,
            acknowledged=self.acknowledged,
            failed=tuple(self.errors),
            failed_count=self.errors.total(),
            latencies_ms=np.array(self.latencies_ms),
            late=late,
            achieved=self.settled / sending_s,
            wall_s=wall_s,
            open_loop=open_loop,
        )
