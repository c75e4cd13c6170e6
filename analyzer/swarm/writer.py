"""The writer: one WebSocket that calls a reducer, in a closed or an open loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Self

from analyzer.closing import Closing
from analyzer.errors import MeasurementError
from analyzer.stdb.connection import Connection, closed_errors, closing_text, open_connection
from analyzer.stdb.messages import InitialConnection, ReducerResult, call_reducer, decode, split
from analyzer.swarm.tally import Tally, WriteRun

__all__ = ["WriteRun", "Writer"]

_CONNECT_S = 30.0


def late_beyond_s(interval_s: float) -> float:
    """Seconds after its time from which a paced write is late, and no longer paced."""
    return max(0.005, 0.5 * interval_s)


class Writer(Closing):
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
        depth: int = 1,
        timeout_s: float = 60.0,
    ) -> WriteRun:
        """Call `reducer` `count` times, with the BSATN arguments `args(index)`.

        Without `rate` each write waits for the one before it, or with a `depth` for the one so
        many before it. With `rate`, in writes per second, each goes out at its intended time
        however slow the server is, so that a stall shows in every write it delayed.

        Raises MeasurementError when the connection ends, or when an acknowledgement takes longer
        than `timeout_s`.
        """
        tally = Tally()
        calls = (self._call(reducer, args(index)) for index in range(count))
        try:
            if rate is None:
                return await self._closed_loop(calls, depth, tally, timeout_s)
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
        self, calls: Iterator[tuple[int, bytes]], depth: int, tally: Tally, timeout_s: float
    ) -> WriteRun:
        began_s = time.perf_counter()
        for request_id, message in calls:
            async with asyncio.timeout(timeout_s):
                tally.pending_s[request_id] = time.perf_counter()
                await self._connection.send(message)
                while len(tally.pending_s) >= depth:
                    await self._receive(tally)
        while tally.pending_s:
            async with asyncio.timeout(timeout_s):
                await self._receive(tally)
        wall_s = time.perf_counter() - began_s
        return tally.run(late=0, sending_s=wall_s, wall_s=wall_s, open_loop=False)

    async def _open_loop(
        self,
        calls: Iterator[tuple[int, bytes]],
        count: int,
        interval_s: float,
        tally: Tally,
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
        self, calls: Iterator[tuple[int, bytes]], began_s: float, interval_s: float, tally: Tally
    ) -> int:
        """Send each call at its time, or as soon after it as this process can; returns how many
        were late."""
        late = 0
        bound_s = late_beyond_s(interval_s)
        for index, (request_id, message) in enumerate(calls):
            intended_s = began_s + index * interval_s
            # Sleeps even when behind: acknowledgements must be taken in meanwhile.
            await asyncio.sleep(max(0.0, intended_s - time.perf_counter()))
            late += time.perf_counter() - intended_s > bound_s
            tally.pending_s[request_id] = intended_s
            await self._connection.send(message)
        return late

    async def _receive_all(self, tally: Tally, count: int) -> None:
        while tally.settled < count:
            await self._receive(tally)

    async def _receive(self, tally: Tally) -> None:
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
