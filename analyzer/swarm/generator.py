"""Is it the server that is slow, or the machine and process that load it?"""

from __future__ import annotations

import asyncio
import resource
import time
from types import TracebackType
from typing import Self

import numpy as np

from analyzer.errors import PreflightError

_TICK_S = 0.01


class GeneratorGuard:
    """Context manager that watches this process through a window; needs a running loop.

    A tick is due every 10 ms; its lag is how much later the loop got to it. Ticks that were
    missed altogether count with their own lag, so a stall weighs as long as it took.
    """

    def __enter__(self) -> Self:
        self._lags_s: list[float] = []
        self._loop = asyncio.get_running_loop()
        self._began_s, self._cpu_s = time.perf_counter(), time.process_time()
        self._due_s = self._loop.time() + _TICK_S
        self._timer = self._loop.call_at(self._due_s, self._tick)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        self._note()
        wall_s = time.perf_counter() - self._began_s
        lags_ms = np.array(self._lags_s or [0.0]) * 1e3
        self.max_lag_ms = float(lags_ms.max())
        self.p99_lag_ms = float(np.percentile(lags_ms, 99))
        self.cpu_share = (time.process_time() - self._cpu_s) / wall_s
        """CPU seconds of this process per second, all threads: 1.0 is one core in full."""

    def _tick(self) -> None:
        self._note()
        self._timer = self._loop.call_at(self._due_s, self._tick)

    def _note(self) -> None:
        now_s = self._loop.time()
        while self._due_s <= now_s:
            self._lags_s.append(now_s - self._due_s)
            self._due_s += _TICK_S


def check_descriptors(needed: int) -> None:
    """Make room for `needed` file descriptors, raising the soft limit up to the hard one.

    Raises PreflightError with both numbers when they do not fit.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _fits(needed, soft):
        return
    if not _fits(needed, hard):
        raise PreflightError(
            f"this sweep needs {needed} file descriptors, the limit is {hard}; "
            f"raise it with `ulimit -n {needed}`"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def _fits(needed: int, limit: int) -> bool:
    return limit == resource.RLIM_INFINITY or needed <= limit
