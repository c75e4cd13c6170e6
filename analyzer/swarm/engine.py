"""Subscribers inside the embedded engine: its own clients, without sockets."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from analyzer.errors import HttpError, MeasurementError
from analyzer.stdb.http import StdbHttp

_AT_ONCE = 100
_POLL_S = 0.005
_GROW_S = 600.0
_CLOSE_S = 60.0


@dataclass(frozen=True, slots=True)
class _Client:
    identity: str
    updates: int
    ended: str | None


class EngineSwarm:
    """Subscribers of `queries` in the process of the engine; an async context manager.

    They are driven over the engine's private HTTP API, under the token of the database's owner,
    which `http` carries. What this class tells of them is as of the last `grow_to` or
    `wait_deliveries`. `progress` is told how many of how many are subscribed.
    """

    def __init__(
        self,
        http: StdbHttp,
        database: str,
        queries: Sequence[str],
        *,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._http = http
        self._database = database
        self._queries = list(queries)
        self._progress = progress or (lambda subscribed, of: None)
        self._clients: list[_Client] = []
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
        """How often each cause ended a client, such as `module_exited`."""
        return Counter(client.ended for client in self._clients if client.ended is not None)

    async def grow_to(self, clients: int) -> None:
        """Add subscribers until `clients` are subscribed; on any failure close the whole swarm.

        Raises MeasurementError when a subscription is refused, HttpError for anything else.
        """
        try:
            while (missing := clients - self.size) > 0:
                wanted = {"queries": self._queries, "count": min(missing, _AT_ONCE)}
                await self._ask("POST", wanted, timeout_s=_GROW_S)
                self._progress(self.size, clients)
        except BaseException as error:
            await self.close()
            if isinstance(error, HttpError) and error.status == 400:
                raise MeasurementError(str(error)) from None
            raise
        self.begin_window()

    def begin_window(self) -> None:
        self._baseline = [client.updates for client in self._clients]

    def window_deliveries(self) -> list[int]:
        """TransactionUpdates per client since `begin_window`, in the order of `identities`."""
        return [
            client.updates - before
            for client, before in zip(self._clients, self._baseline, strict=True)
        ]

    async def wait_deliveries(self, wanted: int | Sequence[int], timeout_s: float) -> bool:
        """Wait until every client has had so many updates in this window; False if one has not.

        `wanted` is the same for all or one number per client. It does not wait for clients that
        have ended. Raises HttpError when the engine is gone.
        """
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + timeout_s
        while self._clients:
            await self._refresh()
            each = [wanted] * self.size if isinstance(wanted, int) else wanted
            delivered = zip(self._clients, self.window_deliveries(), each, strict=True)
            missing = [client for client, count, due in delivered if count < due]
            if not missing:
                break
            if all(client.ended for client in missing) or loop.time() >= deadline_s:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    async def wait_quiet(self, quiet_s: float, timeout_s: float) -> None:
        """Wait until no client has had an update for `quiet_s` seconds."""
        deadline_s = asyncio.get_running_loop().time() + timeout_s
        seen: list[int] | None = None
        while seen != (seen := self.window_deliveries()):
            if asyncio.get_running_loop().time() >= deadline_s:
                return
            await asyncio.sleep(quiet_s)
            await self._refresh()

    async def close(self) -> None:
        """Disconnect all; idempotent. A database or engine that is gone has done so itself."""
        self._clients, self._baseline = [], []
        # Even if none are known: the last request to add some may not have been heard to the end.
        with contextlib.suppress(HttpError):
            await self._http.private("DELETE", self._database, "subscribers", timeout_s=_CLOSE_S)

    async def _refresh(self) -> None:
        try:
            await self._ask("GET")
        except HttpError as error:
            if error.status != 404:
                raise
            self._clients = [_Client(c.identity, c.updates, "deleted") for c in self._clients]

    async def _ask(
        self, method: str, wanted: dict[str, object] | None = None, timeout_s: float | None = None
    ) -> None:
        told = await self._http.private(
            method, self._database, "subscribers", json=wanted, timeout_s=timeout_s
        )
        self._clients = [_Client(**client) for client in told]
