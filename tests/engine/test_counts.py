"""The counts the whole project rests on, seen from outside."""

from __future__ import annotations

import asyncio

import pytest
from websockets.asyncio.client import ClientConnection

from tests.engine import wire
from tests.engine.conftest import Database
from tests.engine.process import Engine, eventually

ROOMS = 8


@pytest.mark.parametrize(
    ("view", "clients", "seeks"),
    [
        ("active_game_per_sender", 0, 1),
        ("active_game_per_sender", 1, (4 * ROOMS + 1) + 1),
        ("active_game_per_sender", 3, 3 * (4 * ROOMS + 1) + 1),
        ("active_game_anonymous", 3, 4 * ROOMS + 1),
        ("lobby_projection", 3, 1),
    ],
)
def test_one_write_costs_exactly_these_index_seeks(
    engine: Engine, database: Database, view: str, clients: int, seeks: int
) -> None:
    def counted(name: str, **labels: str) -> float:
        return engine.metric(name, db=database.identity, txn_type="Reducer", **labels)

    def writes() -> float:
        return counted("spacetime_num_txns_total", reducer="settle_street", committed="true")

    async def measure() -> float:
        query = f"SELECT * FROM {view}"
        sockets = [
            await wire.subscribed(engine.address, database.name, query) for _ in range(clients)
        ]
        writer = await wire.open_socket(engine.address, database.name, wire.V2)
        await wire.answer(writer)
        await write(writer)
        eventually(lambda: writes() == 1)
        before = counted("spacetime_num_index_seeks_total")
        await write(writer)
        eventually(lambda: writes() == 2)
        after = counted("spacetime_num_index_seeks_total")
        for socket in (*sockets, writer):
            await socket.close()
        return after - before

    assert asyncio.run(measure()) == seeks


async def write(socket: ClientConnection) -> None:
    await socket.send(wire.call("settle_street", 1))
    assert (await wire.answer(socket))[:2] == b"\0\6"
