"""Subscribers inside the engine keep the promises of those over WebSockets."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from analyzer.errors import HttpError, MeasurementError
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.engine import EngineSwarm
from analyzer.swarm.writer import Writer
from analyzer.target import Server
from tests.encoding import encode_u64

pytestmark = pytest.mark.anyio

PER_SENDER = ["SELECT * FROM active_game_per_sender"]
ANONYMOUS = ["SELECT * FROM active_game_anonymous"]
_numbers = itertools.count()


@asynccontextmanager
async def lobby(engine: Server, wasm: bytes) -> AsyncIterator[tuple[StdbHttp, str]]:
    """A lobby of 4 rooms and its owner."""
    async with StdbHttp(engine.url) as anyone:
        token = (await anyone.new_identity()).token
    async with StdbHttp(engine.url, token=token) as owner:
        database = await owner.publish(f"test-inside-{next(_numbers)}", wasm)
        try:
            await owner.call(database, "seed_rooms", [4])
            yield owner, database
        finally:
            await owner.delete(database)


@pytest.mark.parametrize("queries", [PER_SENDER, ANONYMOUS], ids=["per_sender", "anonymous"])
async def test_every_write_reaches_every_subscriber(
    fast: bool, engine: Server, lobby_wasm: bytes, queries: list[str]
) -> None:
    seen: list[tuple[int, int]] = []
    async with (
        lobby(engine, lobby_wasm) as (owner, database),
        EngineSwarm(owner, database, queries, progress=lambda *at: seen.append(at)) as swarm,
        Writer(engine.url, database, fast=fast) as writer,
    ):
        for clients in (3, 3, 210):
            await swarm.grow_to(clients)
            assert len(set(swarm.identities)) == swarm.live == clients
            for count in (1, 8):
                swarm.begin_window()
                run = await writer.write("settle_street", lambda i: encode_u64(i % 4), count)
                assert run.acknowledged == count
                assert await swarm.wait_deliveries(count, timeout_s=10)
                assert swarm.window_deliveries() == [count] * clients
        assert swarm.closings.total() == 0
    assert seen == [(3, 3), (103, 210), (203, 210), (210, 210)]


async def test_a_client_that_gets_too_little_is_not_waited_for_in_vain(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with (
        lobby(engine, lobby_wasm) as (owner, database),
        EngineSwarm(owner, database, ANONYMOUS) as swarm,
    ):
        assert await swarm.wait_deliveries(1, timeout_s=10), "nobody is waited for"
        await swarm.grow_to(2)
        assert not await swarm.wait_deliveries(1, timeout_s=0.05)
        assert swarm.window_deliveries() == [0, 0]


async def test_a_refused_subscription_is_passed_on_and_closes_the_swarm(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with lobby(engine, lobby_wasm) as (owner, database):
        swarm = EngineSwarm(owner, database, ["SELECT * FROM nope"])
        with pytest.raises(MeasurementError, match="no such table: `nope`"):
            await swarm.grow_to(3)
        assert swarm.size == 0
        assert await owner.private("GET", database, "subscribers") == []


async def test_what_was_added_unheard_is_closed_as_well(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with lobby(engine, lobby_wasm) as (owner, database):
        swarm = EngineSwarm(owner, database, PER_SENDER)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await swarm.grow_to(100_000)
        assert await owner.private("GET", database, "subscribers") == []


async def test_closing_disconnects_all_and_may_be_done_twice(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with lobby(engine, lobby_wasm) as (owner, database):
        swarm = EngineSwarm(owner, database, PER_SENDER)
        await swarm.grow_to(5)
        await swarm.close()
        await swarm.close()
        assert (swarm.size, swarm.live) == (0, 0)
        (only,) = await owner.sql(database, "SELECT * FROM st_client")
        assert len(only["rows"]) == 1, "more clients than the one that asks"


async def test_a_database_that_is_deleted_ends_its_clients(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with lobby(engine, lobby_wasm) as (owner, database):
        swarm = EngineSwarm(owner, database, ANONYMOUS)
        await swarm.grow_to(3)
        await owner.delete(database)
        assert not await swarm.wait_deliveries(1, timeout_s=10)
        assert swarm.live == 0
        assert swarm.closings == {"deleted": 3}
        await swarm.close()


async def test_only_the_owner_of_a_database_can_have_subscribers_inside(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    async with lobby(engine, lobby_wasm) as (_, database), StdbHttp(engine.url) as anyone:
        with pytest.raises(HttpError, match="not authorized") as caught:
            await EngineSwarm(anyone, database, ANONYMOUS).grow_to(1)
        assert caught.value.status == 403
