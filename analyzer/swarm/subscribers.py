"""The swarm: S subscribing clients in one process, S identities."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

from analyzer.errors import MeasurementError
from analyzer.swarm.subscriber import Script, Subscriber

_POLL_S = 0.002
_CLOSE_S = 15.0


class Swarm:
    """Subscribers, numbered from 0; an async context manager that closes them all.

    `scripts` is what they subscribe to, or a function from a client's number to its script.
    Every client gets a fresh identity from the server, since views belong to identities, not
    connections. `shared_token` makes them share one on purpose, which `grow_to` refuses unless
    `allow_shared_identity`. `progress` is told how many of how many are subscribed.
    """

    def __init__(
        self,
        server_url: str,
        database: str,
        scripts: Sequence[str] | Callable[[int], Script],
        *,
        protocol: str = "v2.bsatn",
        parallel: int = 16,
        fast: bool = False,
        progress: Callable[[int, int], None] | None = None,
        shared_token: str | None = None,
        allow_shared_identity: bool = False,
    ) -> None:
        self._server_url = server_url
        self._database = database
        self._script = scripts if callable(scripts) else lambda _: Script(scripts)
        self._protocol = protocol
        self._parallel = parallel
        self._fast = fast
        self._progress = progress or (lambda subscribed, of: None)
        self._token = shared_token
        self._allow_shared_identity = allow_shared_identity
        self._subscribers: list[Subscriber] = []
        self._baseline: list[int] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def size(self) -> int:
        return len(self._subscribers)

    @property
    def live(self) -> int:
        """Clients that still receive."""
        return sum(subscriber.ended is None for subscriber in self._subscribers)

    @property
    def identities(self) -> list[str]:
        return [subscriber.identity for subscriber in self._subscribers]

    @property
    def subscribers(self) -> Sequence[Subscriber]:
        """In the order of their numbers."""
        return self._subscribers

    @property
    def closings(self) -> Counter[str]:
        """How often each cause ended a client, such as `1013 too many requests`."""
        return Counter(s.ended for s in self._subscribers if s.ended is not None)

    @property
    def bytes_received(self) -> int:
        """Payload of all messages to all clients since they connected."""
        return sum(subscriber.bytes_received for subscriber in self._subscribers)

    async def grow_to(self, clients: int) -> None:
        """Add subscribers, `parallel` at a time, until `clients` are subscribed.

        On any failure the whole swarm is closed. Raises HttpError when a connection is refused,
        MeasurementError when a subscription is, or when identities are shared.
        """
        missing = iter(range(self.size, clients))
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._parallel, clients - self.size)):
                    group.create_task(self._open(missing, clients))
            self._subscribers.sort(key=lambda subscriber: subscriber.number)
            self._check_identities()
            self.begin_window()
        except BaseException as error:
            await self.close()
            if isinstance(error, BaseExceptionGroup):
                raise error.exceptions[0] from None
            raise

    def begin_window(self) -> None:
        self._baseline = [subscriber.updates for subscriber in self._subscribers]

    def window_deliveries(self) -> list[int]:
        """TransactionUpdates per client since `begin_window`, in the order of their numbers."""
        return [
            subscriber.updates - before
            for subscriber, before in zip(self._subscribers, self._baseline, strict=True)
        ]

    async def wait_deliveries(self, wanted: int | Sequence[int], timeout_s: float) -> bool:
        """Wait until every client has had so many updates in this window; False if one has not.

        `wanted` is the same for all or one number per client. It does not wait for clients that
        have ended.
        """
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + timeout_s
        complete = True
        each = [wanted] * self.size if isinstance(wanted, int) else wanted
        for subscriber, before, due in zip(self._subscribers, self._baseline, each, strict=True):
            while subscriber.updates - before < due:
                if subscriber.ended is not None or loop.time() >= deadline_s:
                    complete = False
                    break
                await asyncio.sleep(_POLL_S)
        return complete

    async def wait_quiet(self, quiet_s: float, timeout_s: float) -> None:
        """Wait until no client has had an update for `quiet_s` seconds."""
        deadline_s = asyncio.get_running_loop().time() + timeout_s
        seen = None
        while seen != (seen := self.window_deliveries()):
            if asyncio.get_running_loop().time() >= deadline_s:
                return
            await asyncio.sleep(quiet_s)

    async def close(self) -> None:
        """Close all clients at once; idempotent. What has not closed within 15 s is dropped."""
        leaving, self._subscribers, self._baseline = self._subscribers, [], []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_S):
                await asyncio.gather(*(subscriber.close() for subscriber in leaving))

    async def _open(self, missing: Iterator[int], clients: int) -> None:
        for number in missing:
            subscriber = await Subscriber.open(
                self._server_url,
                self._database,
                self._script(number),
                number=number,
                protocol=self._protocol,
                fast=self._fast,
                token=self._token,
            )
            self._subscribers.append(subscriber)
            self._progress(self.size, clients)

    def _check_identities(self) -> None:
        distinct = len(set(self.identities))
        if distinct < self.size and not self._allow_shared_identity:
            raise MeasurementError(
                f"{self.size} clients have {distinct} identities between them: views belong to "
                "identities, not connections, so this would measure fewer views than clients"
            )
