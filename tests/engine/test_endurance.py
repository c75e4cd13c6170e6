"""Many clients, rude clients, clients that come and go: the process lives and forgets them."""

from __future__ import annotations

import asyncio
import os
import random
import resource
import socket

import pytest
from websockets.asyncio.client import ClientConnection

from tests.engine import wire
from tests.engine.conftest import Database
from tests.engine.process import Engine, eventually

QUERY = "SELECT * FROM active_game_anonymous"


def connected(engine: Engine, database: Database) -> float:
    return engine.metric("spacetime_worker_connected_clients", database_identity=database.identity)


def descriptors(engine: Engine) -> int:
    return len(os.listdir(f"/proc/{engine.process.pid}/fd"))


def test_clients_that_come_and_go_leave_nothing_behind(engine: Engine, database: Database) -> None:
    async def come_and_go(times: int) -> None:
        for at in range(times):
            client = await wire.subscribed(engine.address, database.name, QUERY)
            if at % 2:
                await client.close()
            else:
                client.transport.abort()

    def gone() -> bool:
        return connected(engine, database) == 0

    asyncio.run(come_and_go(50))
    eventually(gone)
    open_before, mib_before = descriptors(engine), engine.resident_mib()
    asyncio.run(come_and_go(200))
    eventually(gone)
    eventually(lambda: descriptors(engine) <= open_before)
    # The one client left is this question itself.
    assert len(database.sql("SELECT * FROM st_client")) == 1
    # 200 clients that stayed would hold 16 KiB of read buffer each, and more.
    assert engine.resident_mib() - mib_before < 3


def test_a_thousand_clients_hear_of_one_write(engine: Engine, database: Database) -> None:
    clients = 1000
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < clients + 200:
        pytest.skip(f"only {hard} descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

    async def hear() -> set[bytes]:
        turn = asyncio.Semaphore(16)

        async def come() -> ClientConnection:
            async with turn:
                return await wire.subscribed(engine.address, database.name, QUERY)

        sockets = await asyncio.gather(*(come() for _ in range(clients)))
        assert connected(engine, database) == clients
        await asyncio.to_thread(database.call, "settle_street", 1)
        heard = await asyncio.gather(*(wire.answer(socket) for socket in sockets))
        await asyncio.gather(*(socket.close() for socket in sockets))
        return {message[:2] for message in heard}

    try:
        assert asyncio.run(hear()) == {b"\0\4"}
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    eventually(lambda: connected(engine, database) == 0)


def test_rude_clients_do_not_take_the_engine_down(engine: Engine, database: Database) -> None:
    dice = random.Random(2140)

    async def rude() -> None:
        for at in range(60):
            client = await wire.RawSocket.open(
                engine.address, database.name, wire.V3 if at % 2 else wire.V2
            )
            for _ in range(dice.randrange(4)):
                client.send(
                    dice.choice([0, 1, 2, 3, 8, 9, 10, 15]), dice.randbytes(dice.randrange(300))
                )
            if at % 3:
                client.writer.write(dice.randbytes(50))
            await client.close()

    asyncio.run(rude())
    host, port = engine.address.split(":")
    half_open = []
    for opening in (
        b"",
        b"GET ",
        b"\0" * 500,
        b"GET /v1/ping HTTP/1.1\r\nContent-Length: 99999\r\n\r\nx",
    ):
        half_open.append(socket.create_connection((host, int(port))))
        half_open[-1].sendall(opening)
    assert database.http.get("/v1/ping").status_code == 200
    assert database.call("settle_street", 1).status_code == 200
    for connection in half_open:
        connection.close()
    eventually(lambda: connected(engine, database) == 0)
    assert engine.process.poll() is None
