"""Windows over the real engine: counts are exact, and a rollback has no update."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from analyzer.metrics.parse import missing_families, parse
from analyzer.metrics.settle import settle
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.subscribers import Swarm
from analyzer.swarm.writer import Writer
from analyzer.target import Server
from tests.encoding import encode_u64

WRITE = "settle_street"
VIEW = ["SELECT * FROM active_game_per_sender"]
ROOMS, CLIENTS, WRITES = 4, 3, 12


class Lobby:
    """A seeded database with its writer."""

    def __init__(self, http: StdbHttp, writer: Writer, database: str) -> None:
        self.http, self.writer, self.database = http, writer, database

    async def scrape(self) -> Snapshot:
        page = await self.http.metrics()
        return parse(page, url=self.http.base_url, database=self.database)

    async def write(self, count: int, *, first: int = 0) -> Window:
        """`first` beyond the rooms makes every write fail."""
        before = await self.scrape()
        run = await self.writer.write(WRITE, lambda i: encode_u64(first + i % ROOMS), count)
        return await settle(
            self.scrape,
            before,
            database=self.database,
            reducer=WRITE,
            acknowledged=run.acknowledged,
            failed=run.failed_count,
        )


@asynccontextmanager
async def lobby(engine: Server, wasm: bytes, clients: int) -> AsyncIterator[Lobby]:
    async with StdbHttp(engine.url) as anyone:
        token = (await anyone.new_identity()).token
    async with StdbHttp(engine.url, token=token) as http:
        database = await http.publish(f"test-metrics-{secrets.token_hex(4)}", wasm)
        try:
            await http.call(database, "seed_rooms", [ROOMS])
            async with (
                Swarm(engine.url, database, VIEW) as swarm,
                Writer(engine.url, database) as writer,
            ):
                await swarm.grow_to(clients)
                opened = Lobby(http, writer, database)
                await opened.write(1)
                yield opened
        finally:
            await http.delete(database)


def test_windows_one_after_another_are_exact_to_the_last_seek(
    engine: Server, lobby_wasm: bytes
) -> None:
    async def run() -> list[Window]:
        async with lobby(engine, lobby_wasm, CLIENTS) as opened:
            assert missing_families(await opened.scrape()) == []
            return [await opened.write(WRITES) for _ in range(10)]

    for seen in asyncio.run(run()):
        assert (seen.committed, seen.rolled_back) == (WRITES, 0)
        assert (seen.reducer_count, seen.update_count) == (WRITES, WRITES)
        assert seen.index_seeks == WRITES * (CLIENTS * (4 * ROOMS + 1) + 1)
        assert seen.view_calls == seen.view_runs == WRITES * CLIENTS
        assert (seen.foreign, seen.resets, seen.disconnections) == ({}, [], {})


def test_each_part_of_a_write_lies_within_the_whole(engine: Server, lobby_wasm: bytes) -> None:
    async def run() -> Window:
        async with lobby(engine, lobby_wasm, CLIENTS) as opened:
            return await opened.write(WRITES)

    seen = asyncio.run(run())
    assert seen.module_s is not None
    assert seen.view_body_s is not None
    assert seen.view_total_s is not None
    assert seen.reducer_s is not None
    assert seen.view_body_s <= seen.view_total_s <= seen.module_s <= seen.reducer_s
    assert seen.fuel
    assert seen.bytes_sent
    assert seen.delta_queries
    assert seen.wait_s is not None


def test_a_failing_write_is_rolled_back_and_nothing_is_evaluated_after_it(
    engine: Server, lobby_wasm: bytes
) -> None:
    async def run() -> Window:
        async with lobby(engine, lobby_wasm, 0) as opened:
            return await opened.write(5, first=1_000)

    seen = asyncio.run(run())
    assert (seen.committed, seen.rolled_back, seen.reducer_count) == (0, 5, 5)
    assert seen.update_count == 0
    assert seen.view_calls == 0
