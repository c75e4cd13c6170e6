"""The conversations recorded from a real server, frame for frame, and how connections end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.engine import wire
from tests.engine.conftest import Database
from tests.engine.process import Engine, eventually
from tests.engine.shapes import recorded, shape

RECORDED: dict[str, list[dict[str, Any]]] = recorded("websocket.json")
PROTOCOLS = ["v1.json", "v1.bsatn", "v2.bsatn", "v3.bsatn"]


async def replay(engine: Engine, database: Database, protocol: str) -> list[tuple[Any, Any]]:
    """Says what the recorded client said; pairs of what came back and what came back then."""
    pairs = []
    async with wire.open_socket(engine.address, database.name, f"{protocol}.spacetimedb") as socket:
        frames = RECORDED[protocol][1:]
        for before, frame in zip([None, *frames], frames, strict=False):
            said = frame["frame"]
            raw = bytes.fromhex(said[4:]) if said.startswith("hex:") else said
            if frame["from"] == "client":
                await socket.send(raw)
                continue
            if before is not None and before["from"] == "server":
                database.call("settle_street", 1)
            pairs.append((await asyncio.wait_for(socket.recv(), 20), raw))
    return pairs


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_conversation_is_as_with_the_real_server(
    engine: Engine, database: Database, protocol: str
) -> None:
    pairs = asyncio.run(replay(engine, database, protocol))
    assert len(pairs) == 5
    (greeting, _), *rest, (refusal, _) = pairs
    assert greeting[:2] in (b"\0\3", b"\0\0") or "IdentityToken" in greeting
    assert b"nope" in refusal if isinstance(refusal, bytes) else "nope" in refusal
    for given, then in pairs:
        if isinstance(then, str):
            assert shape(json.loads(given)) == shape(json.loads(then))
        else:
            # Compression tag and kind of message.
            assert given[:2] == then[:2]
    for given, then in rest:
        if isinstance(then, bytes):
            # The rows are the same but for their numbers, and numbers are of fixed size.
            assert len(given) == len(then)


@pytest.mark.parametrize(
    "case", ["no-subprotocol", "wrong-subprotocol", "unknown-database", "bad-compression"]
)
def test_refused_handshakes_have_the_real_server_s_status(
    engine: Engine, database: Database, case: str
) -> None:
    status, text = RECORDED[case][0]["frame"]
    name = "nope" if case == "unknown-database" else database.name
    protocols = {"no-subprotocol": (), "wrong-subprotocol": ("chat",)}.get(case, (wire.V2,))
    compression = "Zip" if case == "bad-compression" else "None"

    async def refused() -> InvalidStatus:
        query = f"compression={compression}"
        with pytest.raises(InvalidStatus) as raised:
            await wire.open_socket(engine.address, name, *protocols, query=query)
        return raised.value

    response = asyncio.run(refused()).response
    assert response.status_code == status
    # How a query string is wrong is worded by the HTTP library.
    assert response.body == text.encode() or case == "bad-compression"


def test_the_server_prefers_the_newest_subprotocol(engine: Engine, database: Database) -> None:
    offered = (wire.JSON, wire.V2, wire.V3, wire.V1)

    async def negotiated() -> str | None:
        async with wire.open_socket(engine.address, database.name, *offered) as socket:
            return socket.subprotocol

    assert asyncio.run(negotiated()) == wire.V3


def test_a_token_in_header_or_query_is_the_identity_of_the_client(
    engine: Engine, database: Database
) -> None:
    owner = database.owner["Authorization"].removeprefix("Bearer ")

    async def greeted(query: str) -> bytes:
        async with wire.open_socket(engine.address, database.name, wire.V2, query=query) as socket:
            return await wire.answer(socket)

    first, again = (asyncio.run(greeted(f"token={owner}")) for _ in range(2))
    stranger = asyncio.run(greeted("light=true"))
    assert first[2:34] == again[2:34] != stranger[2:34]
    assert owner.encode() in first
    chosen = asyncio.run(greeted("connection_id=000102030405060708090a0b0c0d0e0f"))
    assert bytes(range(15, -1, -1)) in chosen


@pytest.mark.parametrize("query", ["connection_id=" + "0" * 32, "connection_id=xyz", "token=junk"])
def test_bad_handshake_parameters_are_refused(
    engine: Engine, database: Database, query: str
) -> None:
    async def refused() -> int:
        with pytest.raises(InvalidStatus) as raised:
            await wire.open_socket(engine.address, database.name, wire.V2, query=query)
        return raised.value.response.status_code

    assert asyncio.run(refused()) == (401 if "token" in query else 400)


def test_a_plain_get_of_the_socket_path_says_what_is_missing(database: Database) -> None:
    assert database.http.get(f"{database.path}/subscribe").status_code == 426


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_messages_of_the_wrong_kind_close_with_1003(
    engine: Engine, database: Database, protocol: str
) -> None:
    async def close_code() -> int | None:
        async with wire.open_socket(
            engine.address, database.name, f"{protocol}.spacetimedb"
        ) as socket:
            await socket.recv()
            await socket.send(b"{}" if protocol == "v1.json" else "{}")
            return await closed(socket)

    assert asyncio.run(close_code()) == 1003


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_junk_closes_with_1011_and_harms_nobody_else(
    engine: Engine, database: Database, protocol: str
) -> None:
    async def close_code() -> int | None:
        neighbour = await wire.subscribed(
            engine.address, database.name, "SELECT * FROM lobby_projection"
        )
        async with wire.open_socket(
            engine.address, database.name, f"{protocol}.spacetimedb"
        ) as socket:
            await socket.recv()
            await socket.send("junk" if protocol == "v1.json" else b"\xff" * 100)
            code = await closed(socket)
        await neighbour.send(wire.call("settle_street_projected", 1))
        assert (await wire.answer(neighbour))[:2] == b"\0\6"
        await neighbour.close()
        return code

    assert asyncio.run(close_code()) == 1011


async def closed(socket: ClientConnection) -> int | None:
    with pytest.raises(ConnectionClosed) as raised:
        await asyncio.wait_for(socket.recv(), 20)
    return raised.value.rcvd.code if raised.value.rcvd else None


def test_a_failed_call_reaches_its_caller_and_the_client_lives_on(
    engine: Engine, database: Database
) -> None:
    async def talk() -> list[bytes]:
        async with wire.open_socket(engine.address, database.name, wire.V2) as socket:
            await wire.answer(socket)
            answers = []
            for reducer, room in (("settle_street", 99), ("nope", 0), ("settle_street", 1)):
                await socket.send(wire.call(reducer, room))
                answers.append(await wire.answer(socket))
            return answers

    failed, unknown, good = asyncio.run(talk())
    assert b"no room 99" in failed
    assert unknown[:2] == failed[:2] == good[:2] == b"\0\6"


def test_version_1_tells_of_an_unknown_reducer(engine: Engine, database: Database) -> None:
    async def talk() -> Any:
        async with wire.open_socket(engine.address, database.name, wire.JSON) as socket:
            await socket.recv()
            call = {"reducer": "nope", "args": "[]", "request_id": 1, "flags": 0}
            await socket.send(json.dumps({"CallReducer": call}))
            return json.loads(await asyncio.wait_for(socket.recv(), 20))

    assert set(asyncio.run(talk())["TransactionUpdate"]["status"]) == {"Failed"}


def test_long_messages_come_in_frames_of_4_kib(engine: Engine, database: Database) -> None:
    database.call("seed_rooms", 300)

    async def frames() -> list[wire.Frame]:
        socket = await wire.RawSocket.open(engine.address, database.name)
        socket.send(2, wire.subscribe("SELECT * FROM lobby_projection"))
        frames: list[wire.Frame] = []
        while len(frames) < 2 or not frames[-1].final:
            frame = await socket.frame()
            if frame.opcode in (0, 2):
                frames.append(frame)
        await socket.close()
        return frames[1:]

    message = asyncio.run(frames())
    assert [frame.opcode for frame in message] == [2] + [0] * (len(message) - 1)
    assert [frame.final for frame in message] == [False] * (len(message) - 1) + [True]
    assert {len(frame.payload) for frame in message[:-1]} == {4096}
    assert sum(len(frame.payload) for frame in message) > 300 * 38


def test_a_message_of_32_mib_is_too_long(engine: Engine, database: Database) -> None:
    async def codes() -> tuple[int | None, int | None]:
        claims_too_much = await wire.RawSocket.open(engine.address, database.name)
        claims_too_much.send(2, b"x" * 100, claimed=2**62)
        splits_it_up = await wire.RawSocket.open(engine.address, database.name)
        splits_it_up.send(2, b"", claimed=(32 << 20) + 1)
        return await claims_too_much.close_code(), await splits_it_up.close_code()

    assert asyncio.run(codes()) == (1009, 1009)


def test_a_silent_client_is_pinged_and_then_dropped(
    own_engine: Callable[..., Engine], lobby: bytes
) -> None:
    engine = own_engine("--ping-interval=0.2", "--idle-timeout=0.8")
    with engine.client() as http:
        http.put("/v1/database/idle", content=lobby).raise_for_status()

    async def watch() -> list[int]:
        lively = await wire.open_socket(engine.address, "idle", wire.V2)
        silent = await wire.RawSocket.open(engine.address, "idle")
        opcodes = [frame.opcode for frame in await silent.until_the_end()]
        await silent.close()
        await asyncio.sleep(1)
        await lively.send(wire.call("seed_rooms", 1))
        await wire.answer(lively)
        assert (await wire.answer(lively))[:2] == b"\0\6"
        await lively.close()
        return opcodes

    opcodes = asyncio.run(watch())
    assert opcodes.count(9) >= 3
    cause = "spacetime_worker_ws_client_disconnections_total"
    assert engine.metric(cause, cause="idle_timeout") == 1
    eventually(lambda: engine.metric(cause, cause="client_close") == 1)
    assert engine.metric("spacetime_worker_connected_clients") == 0


def test_clients_of_a_deleted_database_are_told_so(engine: Engine, database: Database) -> None:
    async def close_code() -> int | None:
        async with wire.open_socket(engine.address, database.name, wire.V2) as socket:
            await wire.answer(socket)
            await asyncio.to_thread(database.delete)
            return await closed(socket)

    assert asyncio.run(close_code()) == 1001


def test_clients_survive_an_update_of_their_module(
    engine: Engine, database: Database, lobby: bytes
) -> None:
    # Custom sections do not change what a module does, but make it another module.
    changed = lobby + b"\x00\x03\x01xy"

    async def talk() -> bytes:
        query = "SELECT * FROM lobby_projection"
        socket = await wire.subscribed(engine.address, database.name, query)
        put = lambda: database.http.put(database.path, content=changed, headers=database.owner)  # noqa: E731
        (await asyncio.to_thread(put)).raise_for_status()
        await asyncio.to_thread(database.call, "settle_street_projected", 1)
        message = await wire.answer(socket)
        await socket.close()
        return message

    assert asyncio.run(talk())[:2] == b"\0\4"
