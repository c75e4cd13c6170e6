"""S subscribing clients with S identities: what a sweep needs of them, wherever they live."""

from __future__ import annotations

import abc
import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from analyzer.closing import Closing


class Client(Protocol):
    @property
    def identity(self) -> str: ...

    @property
    def updates(self) -> int:
        """TransactionUpdates since it connected."""

    @property
    def ended(self) -> str | None:
        """Why it receives no more; None while it lives."""


C = TypeVar("C", bound=Client, covariant=True)


class Clients(Closing, Generic[C]):
    """Subscribers and what each has received; closes them all."""

    def __init__(self) -> None:
        self._clients: list[C] = []
        self._baseline: list[int] = []

    @property
    def size(self) -> int:
        return len(self._clients)

    @property
    def live(self) -> int:
        """Clients that still receive."""
        return sum(client.ended is None for client in self._clients)

    @property
    def identities(self) -> list[str]:
        return [client.identity for client in self._clients]

    @property
    def closings(self) -> Counter[str]:
        """How often each cause ended a client, such as `1013 too many requests`."""
        return Counter(client.ended for client in self._clients if client.ended is not None)

    @abc.abstractmethod
    async def grow_to(self, clients: int) -> None:
        """Add subscribers until `clients` are subscribed; on any failure close them all.

        Raises HttpError when a connection is refused, MeasurementError when a subscription is.
        """

    def begin_window(self) -> None:
        self._baseline = [client.updates for client in self._clients]

    def window_deliveries(self) -> list[int]:
        """TransactionUpdates per client since `begin_window`, in the order of `identities`."""
        return [
            client.updates - before
            for client, before in zip(self._clients, self._baseline, strict=True)
        ]

    @abc.abstractmethod
    async def wait_deliveries(self, wanted: int | Sequence[int], timeout_s: float) -> bool:
        """Wait until every client has had so many updates in this window; False if one has not.

        `wanted` is the same for all or one number per client. It does not wait for clients that
        have ended.
        """

    async def wait_quiet(self, quiet_s: float, timeout_s: float) -> None:
        """Wait until no client has had an update for `quiet_s` seconds."""
        deadline_s = asyncio.get_running_loop().time() + timeout_s
        seen: list[int] | None = None
        while seen != (seen := self.window_deliveries()):
            if asyncio.get_running_loop().time() >= deadline_s:
                return
            await asyncio.sleep(quiet_s)
            await self._refresh()

    async def _refresh(self) -> None:
        """Learn what the clients have received, where that is not known at once."""
