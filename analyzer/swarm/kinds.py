"""The kinds of subscribers a sweep can have, and what it needs of either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol, Self

from analyzer.stdb.http import StdbHttp
from analyzer.swarm.engine import EngineSwarm
from analyzer.swarm.subscriber import Script
from analyzer.swarm.subscribers import Swarm


class Subscribers(Protocol):
    """S subscribing clients with S identities; see `Swarm` for what each method promises."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    @property
    def size(self) -> int: ...

    @property
    def live(self) -> int: ...

    @property
    def closings(self) -> Counter[str]: ...

    async def grow_to(self, clients: int) -> None: ...

    def begin_window(self) -> None: ...

    def window_deliveries(self) -> list[int]: ...

    async def wait_deliveries(self, wanted: int | Sequence[int], timeout_s: float) -> bool: ...

    async def wait_quiet(self, quiet_s: float, timeout_s: float) -> None: ...


def swarm_of(
    kind: str,
    http: StdbHttp,
    database: str,
    script: Callable[[int], Script],
    *,
    protocol: str,
    fast: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Subscribers:
    """Those of a `Plan.subscribers` kind, none connected yet; inside the engine all do as the
    script of client 0 says."""
    if kind == "engine":
        return EngineSwarm(http, database, script(0).queries, progress=progress)
    return Swarm(http.base_url, database, script, protocol=protocol, fast=fast, progress=progress)
