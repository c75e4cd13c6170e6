"""Subscribers inside the embedded engine: its own clients, without sockets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analyzer.errors import HttpError, MeasurementError
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.clients import Clients

_AT_ONCE = 100
_POLL_S = 0.005
_GROW_S = 600.0
_CLOSE_S = 60.0


@dataclass(frozen=True, slots=True)
class _Client:
    identity: str
    updates: int
    ended: str | None


class EngineSwarm(Clients[_Client]):
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
        super().__init__()
        self._http = http
        self._database = database
        self._queries = list(queries)
        self._progress = progress or (lambda subscribed, of: None)

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

    async def wait_deliveries(self, wanted: int | Sequence[int], timeout_s: float) -> bool:
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
