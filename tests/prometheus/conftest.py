"""A small lobby's life under the eyes of a real Prometheus, lived once for all tests here."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from analyzer.arms import Arm
from analyzer.bench import Bench, open_bench
from analyzer.metrics.settle import settle
from analyzer.metrics.window import Window
from analyzer.scenarios import LOBBY
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server
from tests.prometheus.server import RANGE_S, Prometheus, prometheus

CLIENTS, ROOMS, WRITES = 5, 4, 60
QUIET_S = RANGE_S + 1
"""So long that nothing from before is still in the range of a rule."""


@dataclass(frozen=True, slots=True)
class Life:
    """Moments to query at, and what the tool itself measured between its own two scrapes."""

    prometheus: Prometheus
    databases: dict[str, str]
    """Identity by arm."""
    windows: dict[str, Window]
    began: float
    written: float
    """All clients connected, and the writes of `windows` alone within range."""
    left: float
    """The per-sender clients have just gone; only the writer is connected."""
    haunted: float
    """They have been gone for longer than the range, and writes went on."""

    def query(self, arm: str, metric: str, at: float) -> dict[str, float]:
        return self.prometheus.query(f'{metric}{{db="{self.databases[arm]}"}}', at)


@pytest.fixture(scope="session")
def life(
    engine: Server, lobby_wasm: bytes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Life]:
    folder = tmp_path_factory.mktemp("prometheus")
    with prometheus(folder, urlsplit(engine.url).netloc) as running:
        yield asyncio.run(_live(running, engine.url, lobby_wasm))


async def _live(prometheus: Prometheus, url: str, wasm: bytes) -> Life:
    began = time.time()
    async with AsyncExitStack() as stack:
        arms = [LOBBY.arm(name) for name in ("per_sender", "anonymous")]
        benches = {a.name: await stack.enter_async_context(_bench(url, wasm, a)) for a in arms}
        await asyncio.to_thread(prometheus.catch_up)  # it may take 5 s to its first scrape
        await asyncio.sleep(QUIET_S)
        windows = {name: await _write(bench) for name, bench in benches.items()}
        written = await asyncio.to_thread(prometheus.catch_up)
        per_sender = benches["per_sender"]
        await per_sender.swarm.close()
        await asyncio.to_thread(prometheus.wait_for_clients, per_sender.database, 1)
        left = await asyncio.to_thread(prometheus.catch_up)
        await asyncio.sleep(QUIET_S)
        await _write(per_sender)
        haunted = await asyncio.to_thread(prometheus.catch_up)
        databases = {name: bench.database for name, bench in benches.items()}
    return Life(prometheus, databases, windows, began, written, left, haunted)


@asynccontextmanager
async def _bench(url: str, wasm: bytes, arm: Arm) -> AsyncIterator[Bench]:
    """A seeded and subscribed database that has seen enough writes for `rate` to be exact.

    A counter that is young beside what it rises by is taken to have begun within the range.
    """
    async with StdbHttp(url) as anyone:
        token = (await anyone.new_identity()).token
    async with StdbHttp(url, token=token) as http:
        database = await http.publish(f"test-prometheus-{secrets.token_hex(4)}", wasm)
        try:
            async with open_bench(
                http, database, arm, ROOMS, seed=LOBBY.seed, owner=token
            ) as bench:
                await bench.swarm.grow_to(CLIENTS)
                await _write(bench)
                yield bench
        finally:
            await http.delete(database)


async def _write(bench: Bench) -> Window:
    before = await bench.scrape()
    run, _ = await bench.write(WRITES, 100.0)
    return await settle(
        bench.scrape,
        before,
        database=bench.database,
        reducer="settle_street",
        acknowledged=run.acknowledged,
        failed=run.failed_count,
    )
