"""The kinds of subscribers a sweep can have."""

from __future__ import annotations

from collections.abc import Callable

from analyzer.stdb.http import StdbHttp
from analyzer.swarm.clients import Client, Clients
from analyzer.swarm.engine import EngineSwarm
from analyzer.swarm.subscriber import Script
from analyzer.swarm.subscribers import Swarm


def swarm_of(
    kind: str,
    http: StdbHttp,
    database: str,
    script: Callable[[int], Script],
    *,
    protocol: str,
    fast: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Clients[Client]:
    """Those of a `Plan.subscribers` kind, none connected yet; inside the engine all do as the
    script of client 0 says."""
    if kind == "engine":
        return EngineSwarm(http, database, script(0).queries, progress=progress)
    return Swarm(http.base_url, database, script, protocol=protocol, fast=fast, progress=progress)
