"""The writer: one connection that calls a reducer, in a closed or an open loop."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from analyzer.errors import MeasurementError
from analyzer.stdb.connection import Connection, closed_errors, closing_text, open_connection
from analyzer.stdb.messages import InitialConnection, ReducerResult, call_reducer, decode, split

_CONNECT_S = 30.0
_LATE_S = 0.005
_LATE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class WriteRun:
    """What became of a run of writes."""

    sent: int
    acknowledged: int
    """Committed."""
    failed: tuple[str, ...]
    """The distinct errors of the others."""
    failed_count: int
    latencies_ms: NDArray[np.float64]
    """Of acknowledged writes: from the intended time in an open loop, else from the send."""
    late: int
    """Open loop: writes sent more than 5 ms and a tenth of the interval after their time."""
    achieved: float
    """Writes sent per second."""
    wall_s: float
    """From the first write's time to the last acknowledgement."""
    open_loop: bool


class Writer:
    """Calls reducers over a WebSocket of its own; an async context manager.

    Opening raises HttpError when the connection is refused.
    """

    def __init__(
        self,
        server_url: str,
        database: str,
        *,
        token: str | None = None,
        protocol: str = "v2.bsatn",
        fast: bool = False,
    ) -> None:
        self._server_url = server_url
        self._database = database
        self._token = token
        self._protocol = protocol
        self._fast = fast
        self._request_id = 0

    async def __aenter__(self) -> Self:
        self._connection: Connection = await open_connection(
            self._server_url,
            self._database,
            token=self._token,
            protocol=self._protocol,
            fast=self._fast,
        )
        try:
            await self._connected()
        except BaseException:
            await self._connection.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Idempotent; takes about 2 s at most."""
        await self._connection.close()

    async def write(
        self,
        reducer: str,
        args: Callable[[int], bytes],
        count: int,
        *,
        rate: float | None = None,
        timeout_s: float = 60.0,
    ) -> WriteRun:
        """Call `reducer` `count` times, with the BSATN arguments `args(index)`.

        Without `rate` each write waits for the one before it. With `rate`, in writes per second,
        each goes out at its intended time however slow the server is, so that a stall shows in
        every write it delayed.

        Raises MeasurementError when the connection ends, or when an acknowledgement takes longer
        than `timeout_s`.
        """
        tally = _Tally()
        calls = (self._call(reducer, args(index)) for index in range(count))
        try:
            if rate is None:
                return await self._closed_loop(calls, tally, timeout_s)
            return await self._open_loop(calls, count, 1 / rate, tally, timeout_s)
        except TimeoutError:
            raise MeasurementError(
                f"{reducer}: no acknowledgement within {timeout_s:g} s, "
                f"after {tally.acknowledged} of {count} writes"
            ) from None
        except closed_errors() as error:
            raise MeasurementError(
                f"{reducer}: the writer's connection ended ({closing_text(error)}) "
                f"after {tally.acknowledged} of {count} writes were acknowledged"
            ) from None

    def _call(self, reducer: str, args: bytes) -> tuple[int, bytes]:
        self._request_id += 1
        return self._request_id, call_reducer(self._request_id, reducer, args)

    async def _closed_loop(
        self, calls: Iterator[tuple[int, bytes]], tally: _Tally, timeout_s: float
    ) -> WriteRun:
        began_s = time.perf_counter()
        for request_id, message in calls:
            async with asyncio.timeout(timeout_s):
                tally.pending_s[request_id] = time.perf_counter()
                await self._connection.send(message)
                while tally.pending_s:
                    await self._receive(tally)
        wall_s = time.perf_counter() - began_s
        return tally.run(late=0, sending_s=wall_s, wall_s=wall_s, open_loop=False)

    async def _open_loop(
        self,
        calls: Iterator[tuple[int, bytes]],
        count: int,
        interval_s: float,
        tally: _Tally,
        timeout_s: float,
    ) -> WriteRun:
        began_s = time.perf_counter()
        try:
            async with (
                asyncio.timeout(count * interval_s + timeout_s),
                asyncio.TaskGroup() as group,
            ):
                group.create_task(self._receive_all(tally, count))
                late = await self._pace(calls, began_s, interval_s, tally)
                sending_s = time.perf_counter() - began_s + interval_s
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        wall_s = time.perf_counter() - began_s
        return tally.run(late=late, sending_s=sending_s, wall_s=wall_s, open_loop=True)

    async def _pace(
        self, calls: Iterator[tuple[int, bytes]], began_s: float, interval_s: float, tally: _Tally
    ) -> int:
        """Send each call at its time, or as soon after it as this process can; returns how many
        were late."""
        late = 0
        bound_s = max(_LATE_S, _LATE_SHARE * interval_s)
        for index, (request_id, message) in enumerate(calls):
            intended_s = began_s + index * interval_s
            # Sleeps even when behind: acknowledgements must be taken in meanwhile.
            await asyncio.sleep(max(0.0, intended_s - time.perf_counter()))
            late += time.perf_counter() - intended_s > bound_s
            tally.pending_s[request_id] = intended_s
            await self._connection.send(message)
        return late

    async def _receive_all(self, tally: _Tally, count: int) -> None:
        while tally.settled < count:
            await self._receive(tally)

    async def _receive(self, tally: _Tally) -> None:
        frame = await self._connection.recv()
        now_s = time.perf_counter()
        for message in map(decode, split(frame, self._protocol)):
            if isinstance(message, ReducerResult):
                tally.settle(message, now_s)

    async def _connected(self) -> None:
        """Its connection is a transaction of its own, which must be over before any scrape."""
        try:
            async with asyncio.timeout(_CONNECT_S):
                frame = await self._connection.recv()
        except TimeoutError:
            raise MeasurementError(
                f"{self._server_url}: no first message within {_CONNECT_S:.0f} s"
            ) from None
        except closed_errors() as error:
            raise MeasurementError(
                f"{self._server_url} ended the writer's connection: {closing_text(error)}"
            ) from None
        if not isinstance(decode(split(frame, self._protocol)[0]), InitialConnection):
            raise MeasurementError(f"{self._server_url}: the first message names no identity")


@dataclass(slots=True)
class _Tally:
    """The accounts of one run."""

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
