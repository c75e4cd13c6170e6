"""The swarm: S subscribing clients in one process, S identities."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Sequence

from analyzer.errors import MeasurementError
from analyzer.swarm.clients import Clients
from analyzer.swarm.subscriber import Script, Subscriber

_POLL_S = 0.002
_CLOSE_S = 15.0


class Swarm(Clients[Subscriber]):
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
        super().__init__()
        self._server_url = server_url
        self._database = database
        self._script = scripts if callable(scripts) else lambda _: Script(scripts)
        self._protocol = protocol
        self._parallel = parallel
        self._fast = fast
        self._progress = progress or (lambda subscribed, of: None)
        self._token = shared_token
        self._allow_shared_identity = allow_shared_identity

    @property
    def subscribers(self) -> Sequence[Subscriber]:
        """In the order of their numbers."""
        return self._clients

    @property
    def bytes_received(self) -> int:
        """Payload of all messages to all clients since they connected."""
        return sum(subscriber.bytes_received for subscriber in self._clients)

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
            self._clients.sort(key=lambda subscriber: subscriber.number)
            self._check_identities()
            self.begin_window()
        except BaseException as error:
            await self.close()
            if isinstance(error, BaseExceptionGroup):
                raise error.exceptions[0] from None
            raise

    async def wait_deliveries(self, wanted: int | Sequence[int], timeout_s: float) -> bool:
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + timeout_s
        complete = True
        each = [wanted] * self.size if isinstance(wanted, int) else wanted
        for subscriber, before, due in zip(self._clients, self._baseline, each, strict=True):
            while subscriber.updates - before < due:
                if subscriber.ended is not None or loop.time() >= deadline_s:
                    complete = False
                    break
                await asyncio.sleep(_POLL_S)
        return complete

    async def close(self) -> None:
        """Close all clients at once; idempotent. What has not closed within 15 s is dropped."""
        leaving, self._clients, self._baseline = self._clients, [], []
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
            self._clients.append(subscriber)
            self._progress(self.size, clients)

    def _check_identities(self) -> None:
        distinct = len(set(self.identities))
        if distinct < self.size and not self._allow_shared_identity:
            raise MeasurementError(
                f"{self.size} clients have {distinct} identities between them: views belong to "
                "identities, not connections, so this would measure fewer views than clients"
            )
