"""The TypeScript twin of the lobby against the Rust one: what it declares, counts and shows.

No server with V8 is at hand. What the twin declares is judged by the embedded engine; what it does
is run under Node.js, on tables that count reads by the engine's rules.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from analyzer.build.typescript import LACKING, check_twin
from analyzer.errors import UsageError
from analyzer.scenarios import LOBBY
from analyzer.stdb.bsatn import Reader
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server
from tests.typescript.conftest import Twin
from tests.typescript.definition import definition_wasm
from tests.typescript.schema import described

ROW_DATA, RAW_SQL = 0, 1
QUERY_VIEWS = {"listedRoomQueryAnonymous", "listedRoomQueryPerSender"}
ARMS = {
    "per_sender": (["activeGamePerSender"], "settleStreet"),
    "anonymous": (["activeGameAnonymous"], "settleStreet"),
    "projection": (["myPracticeRoom"], "settleStreetProjected"),
}
"""The views that the clients of an arm subscribe to, and its write."""


def on_lobby(engine: Server, program: bytes, act: Callable[[StdbHttp, str], Awaitable[Any]]) -> Any:
    """What `act` returns, given the owner's client and a fresh database of `program`."""

    async def acted() -> Any:
        async with StdbHttp(engine.url) as anyone:
            token = (await anyone.new_identity()).token
        async with StdbHttp(engine.url, token) as http:
            database = await http.publish("test-typescript-twin", program)
            try:
                return await act(http, database)
            finally:
                await http.delete(database)

    return asyncio.run(acted())


def test_the_engine_makes_the_same_schema_of_it_as_of_the_rust_lobby(
    engine: Server, lobby_wasm: bytes, twin: Twin
) -> None:
    def schema(program: bytes) -> dict[str, Any]:
        return described(on_lobby(engine, program, StdbHttp.schema))

    rust = schema(lobby_wasm)
    of_twin = schema(definition_wasm(bytes.fromhex(twin(describe=True))))

    for view in LACKING["lobby"]:
        assert rust["views"].pop(view)["params"], "a view that the twin could have"
    assert of_twin == rust


def test_its_query_views_have_the_key_that_those_in_rust_inherit(
    engine: Server, twin: Twin
) -> None:
    async def sections(http: StdbHttp, database: str) -> dict[str, Any]:
        schema = await http.schema(database, version=10)
        return {name: section for part in schema["sections"] for name, section in part.items()}

    program = definition_wasm(bytes.fromhex(twin(describe=True)))
    keys = on_lobby(engine, program, sections)["ViewPrimaryKeys"]
    assert {key["view_source_name"]: key["columns"] for key in keys} == {
        view: ["id"] for view in QUERY_VIEWS
    }


@pytest.mark.parametrize("arm", ARMS)
def test_a_write_counts_what_its_arm_declares(twin: Twin, arm: str) -> None:
    views, write = ARMS[arm]
    law = LOBBY.arm(arm)
    for clients, rooms in ((0, 8), (1, 1), (3, 8), (2, 64)):
        ran = twin(rooms=rooms, clients=clients, owners=0, views=views, write=write)
        declared = {
            "seeks": law.seeks(clients, rooms),
            "calls": law.view_calls(clients, rooms),
            "scanned": law.rows_scanned(clients, rooms),
        }
        assert ran["writes"] == [declared] * rooms, (arm, clients, rooms)


def test_a_query_view_is_called_again_by_every_write_and_counts_nothing(twin: Twin) -> None:
    ran = twin(rooms=4, clients=3, owners=0, views=sorted(QUERY_VIEWS), write="settleStreet")
    assert ran["writes"] == [{"seeks": 1, "calls": 3 + 1, "scanned": 1}] * 4


def test_its_views_show_the_rows_of_the_rust_lobby(
    engine: Server, lobby_wasm: bytes, twin: Twin
) -> None:
    async def rows(http: StdbHttp, database: str) -> dict[str, list[Any]]:
        await http.call(database, "seed_rooms", [4])
        await http.call(database, "open_practice_room", [])
        for room in range(4):
            await http.call(database, "settle_street", [room])
        return {
            "activeGamePerSender": await select(http, database, "active_game_per_sender"),
            "activeGameAnonymous": await select(http, database, "active_game_anonymous"),
            "myPracticeRoom": await select(http, database, "my_practice_room"),
        }

    in_rust = on_lobby(engine, lobby_wasm, rows)
    ran = twin(rooms=4, clients=1, owners=1, views=list(in_rust), write="settleStreet")
    assert {view: games(returned) for view, returned in ran["shown"]} == in_rust


def test_its_queries_are_those_of_the_rust_lobby(
    engine: Server, lobby_wasm: bytes, twin: Twin
) -> None:
    ran = twin(rooms=4, clients=1, owners=0, views=sorted(QUERY_VIEWS), write="settleStreet")
    queries = {query(returned) for _, returned in ran["shown"]}

    async def rows(http: StdbHttp, database: str) -> list[list[Any]]:
        await http.call(database, "seed_rooms", [4])
        by_query = [(await http.sql(database, text))[0]["rows"] for text in queries]
        return [*by_query, await select(http, database, "listed_room_query_anonymous")]

    *by_query, in_rust = on_lobby(engine, lobby_wasm, rows)
    assert len(in_rust) == 4
    assert [sorted(rows) for rows in by_query] == [sorted(in_rust)] * len(queries)


def test_it_refuses_what_the_rust_lobby_refuses(twin: Twin) -> None:
    for write in ("settleStreet", "settleStreetProjected"):
        refused = twin(rooms=2, clients=0, owners=1, views=[], write=write)["refused"]
        assert [(error["kind"], error["message"]) for error in refused] == [
            ("SenderError", "no room 2"),
            ("SenderError", "value with given unique identifier already exists"),
        ]


def test_an_arm_that_the_twin_cannot_have_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no view active_game_in_room.*leave that arm out"):
        check_twin("lobby", ["SELECT * FROM active_game_in_room(3)"])
    with pytest.raises(UsageError, match="the tournament has no TypeScript twin"):
        check_twin("tournament", [])
    for arm in ARMS:
        check_twin("lobby", LOBBY.arm(arm).queries)


async def select(http: StdbHttp, database: str, view: str) -> list[Any]:
    (result,) = await http.sql(database, f"SELECT * FROM {view}")
    return sorted(result["rows"])


def games(returned: str) -> list[list[Any]]:
    """The rows of a lobby view, from the bytes it gave to its host."""
    reader = Reader(bytes.fromhex(returned))
    assert reader.u8() == ROW_DATA

    def game() -> list[Any]:
        return [reader.integer(64), reader.string(), *(reader.u32() for _ in range(3)),
                reader.integer(64)]  # fmt: skip

    rows = reader.array(game)
    assert reader.at_end
    return sorted(rows)


def query(returned: str) -> str:
    reader = Reader(bytes.fromhex(returned))
    assert reader.u8() == RAW_SQL
    return reader.string()
