"""The swarm and the writer against the embedded engine: what the wire really carries."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from analyzer.errors import HttpError, MeasurementError
from analyzer.stdb.connection import PROTOCOLS
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.subscribers import Swarm
from analyzer.swarm.writer import Writer
from analyzer.target import Server
from tests.encoding import encode_u64

pytestmark = pytest.mark.anyio

PER_SENDER = ["SELECT * FROM active_game_per_sender"]
ANONYMOUS = ["SELECT * FROM active_game_anonymous"]
_numbers = itertools.count()


@asynccontextmanager
async def lobby(engine: Server, wasm: bytes, rooms: int) -> AsyncIterator[str]:
    async with StdbHttp(engine.url) as anyone:
        token = (await anyone.new_identity()).token
    async with StdbHttp(engine.url, token=token) as http:
        database = await http.publish(f"test-swarm-{next(_numbers)}", wasm)
        try:
            await http.call(database, "seed_rooms", [rooms])
            yield database
        finally:
            await http.delete(database)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("queries", [PER_SENDER, ANONYMOUS], ids=["per_sender", "anonymous"])
async def test_every_write_reaches_every_subscriber(
    fast: bool, engine: Server, lobby_wasm: bytes, queries: list[str], protocol: str
) -> None:
    async with (
        lobby(engine, lobby_wasm, rooms=4) as database,
        Swarm(engine.url, database, queries, protocol=protocol, fast=fast) as swarm,
        Writer(engine.url, database, protocol=protocol, fast=fast) as writer,
    ):
        await swarm.grow_to(20)
        assert len(set(swarm.identities)) == 20
        for rate, count in ((None, 8), (200.0, 20)):
            swarm.begin_window()
            run = await writer.write("settle_street", lambda i: encode_u64(i % 4), count, rate=rate)
            assert (run.acknowledged, run.failed_count) == (count, 0)
            assert await swarm.wait_deliveries(count, timeout_s=10)
            assert swarm.window_deliveries() == [count] * 20
        assert (swarm.live, swarm.closings.total()) == (20, 0)


async def test_a_first_snapshot_of_many_rooms_arrives_in_fragments(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with (
        lobby(engine, lobby_wasm, rooms=1_000) as database,
        Swarm(engine.url, database, ANONYMOUS, fast=fast) as swarm,
    ):
        await swarm.grow_to(2)
        assert swarm.bytes_received > 2 * 30_000


async def test_one_token_for_all_is_one_identity(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with StdbHttp(engine.url) as http:
        shared = await http.new_identity()
    async with lobby(engine, lobby_wasm, rooms=1) as database:
        swarm = Swarm(engine.url, database, PER_SENDER, fast=fast, shared_token=shared.token)
        with pytest.raises(MeasurementError, match="5 clients have 1 identities"):
            await swarm.grow_to(5)
        async with Swarm(
            engine.url,
            database,
            PER_SENDER,
            fast=fast,
            shared_token=shared.token,
            allow_shared_identity=True,
        ) as allowed:
            await allowed.grow_to(5)
            assert allowed.identities == [shared.identity] * 5


async def test_the_servers_words_about_queries_and_calls_are_passed_on(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with lobby(engine, lobby_wasm, rooms=1) as database:
        swarm = Swarm(engine.url, database, ["SELECT * FROM nope"], fast=fast)
        with pytest.raises(MeasurementError, match="no such table: `nope`"):
            await swarm.grow_to(3)
        async with Writer(engine.url, database, fast=fast) as writer:
            run = await writer.write("settle_street", lambda _: encode_u64(99), 2)
            assert (run.acknowledged, run.failed_count) == (0, 2)
            assert run.failed[0]
            unknown = await writer.write("no_such_reducer", lambda _: b"", 1)
            assert unknown.failed_count == 1
    with pytest.raises(HttpError) as caught:
        await Swarm(engine.url, "no-such-database", ANONYMOUS, fast=fast).grow_to(1)
    assert caught.value.status == 404


async def test_a_database_that_is_deleted_ends_its_clients(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with lobby(engine, lobby_wasm, rooms=1) as database:
        swarm = Swarm(engine.url, database, ANONYMOUS, fast=fast)
        await swarm.grow_to(3)
        swarm.begin_window()
    assert not await swarm.wait_deliveries(1, timeout_s=10)
    assert swarm.live == 0
    assert swarm.closings.total() == 3
    await swarm.close()
