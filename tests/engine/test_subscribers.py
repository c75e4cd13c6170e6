"""Clients inside the engine: to the engine they are clients like any other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import httpx
import pytest

from tests.engine import wire
from tests.engine.conftest import Database, bearer
from tests.engine.process import Engine, eventually

PER_SENDER = "SELECT * FROM active_game_per_sender"
ANONYMOUS = "SELECT * FROM active_game_anonymous"


class Inside:
    """The private endpoints of one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.path = f"/private/database/{database.name}"

    def ask(self, method: str, route: str, **details: object) -> httpx.Response:
        return self.database.http.request(
            method, f"{self.path}/{route}", headers=self.database.owner, **details
        )

    def add(self, count: int, *queries: str) -> list[dict[str, object]]:
        wanted = {"queries": queries, "count": count}
        answer = self.ask("POST", "subscribers", json=wanted)
        answer.raise_for_status()
        told: list[dict[str, object]] = answer.json()
        return told

    def updates(self) -> list[object]:
        return [client["updates"] for client in self.ask("GET", "subscribers").json()]

    def remove(self) -> None:
        self.ask("DELETE", "subscribers").raise_for_status()


@pytest.fixture
def inside(database: Database) -> Inside:
    return Inside(database)


def connected(engine: Engine, database: Database) -> float:
    return engine.metric("spacetime_worker_connected_clients", database_identity=database.identity)


def transactions(engine: Engine, database: Database, reducer: str) -> float:
    try:
        return engine.metric(
            "spacetime_num_txns_total", db=database.identity, txn_type="Reducer", reducer=reducer
        )
    except KeyError:
        return 0


def test_each_has_an_identity_of_its_own_and_counts_what_it_is_sent(
    database: Database, inside: Inside
) -> None:
    first = inside.add(3, PER_SENDER)
    both = inside.add(2, PER_SENDER)
    assert both[:3] == first
    assert len({client["identity"] for client in both}) == 5
    assert [client["updates"] for client in both] == [0] * 5
    for _ in range(4):
        database.call("settle_street", 1)
    eventually(lambda: inside.updates() == [4] * 5)
    assert all(client["ended"] is None for client in inside.ask("GET", "subscribers").json())


def test_they_connect_and_disconnect_by_the_transactions_of_web_socket_clients(
    engine: Engine, database: Database, inside: Inside
) -> None:
    def lifecycle() -> list[float]:
        reducers = ("call_identity_connected", "__identity_disconnected__")
        return [transactions(engine, database, reducer) for reducer in reducers]

    async def over_sockets() -> None:
        clients = [
            await wire.subscribed(engine.address, database.name, PER_SENDER) for _ in range(7)
        ]
        eventually(lambda: connected(engine, database) == 7)
        for client in clients:
            await client.close()

    eventually(lambda: lifecycle() == [1, 1])  # the call that made the rooms
    asyncio.run(over_sockets())
    eventually(lambda: lifecycle() == [8, 8])
    inside.add(7, PER_SENDER)
    eventually(lambda: connected(engine, database) == 7)
    inside.remove()
    eventually(lambda: lifecycle() == [15, 15])
    eventually(lambda: connected(engine, database) == 0)


def test_the_modules_table_of_clients_lists_them_until_they_leave(
    database: Database, inside: Inside
) -> None:
    def listed() -> list[str]:
        rows = database.sql("SELECT identity FROM st_client")
        return [str(identity).removeprefix("0x") for (identity,) in rows]

    assert len(listed()) == 1  # the one that asks
    identities = {client["identity"] for client in inside.add(3, ANONYMOUS)}
    assert identities < set(listed())
    inside.remove()
    assert len(listed()) == 1


def test_nothing_is_committed_by_counting(
    engine: Engine, database: Database, inside: Inside
) -> None:
    inside.add(3, ANONYMOUS)

    def committed() -> float:
        return engine.metric("spacetime_num_txns_total", db=database.identity)

    time.sleep(0.2)  # the counters follow the commits within a few ticks of 5 ms
    before = committed()
    for _ in range(50):
        assert inside.updates() == [0, 0, 0]
    time.sleep(0.2)
    assert committed() == before


def test_a_refused_subscription_says_why_and_leaves_nobody_behind(
    engine: Engine, database: Database, inside: Inside
) -> None:
    inside.add(2, ANONYMOUS)
    answer = inside.ask("POST", "subscribers", json={"queries": ["SELECT * FROM no"], "count": 3})
    assert answer.status_code == 400
    assert "the subscription was refused: " in answer.text
    assert "`no`" in answer.text
    eventually(lambda: connected(engine, database) == 2)
    assert inside.updates() == [0, 0]


def test_only_the_owner_may_use_the_private_endpoints(
    http: httpx.Client, database: Database, inside: Inside
) -> None:
    stranger = bearer(http.post("/v1/identity").json()["token"])
    wanted = {"queries": [ANONYMOUS], "count": 1}
    for method, route, body in (
        ("GET", "subscribers", None),
        ("POST", "subscribers", wanted),
        ("DELETE", "subscribers", None),
        ("POST", "views/expire", None),
    ):
        for headers in (stranger, {}):
            answer = http.request(method, f"{inside.path}/{route}", json=body, headers=headers)
            assert answer.status_code == 403, (method, route)
    assert http.get("/private/database/nobody/subscribers").status_code == 404


def test_no_web_page_is_invited(http: httpx.Client, inside: Inside) -> None:
    asked = {"Origin": "http://a.page", "Access-Control-Request-Method": "POST"}
    answer = http.options(f"{inside.path}/subscribers", headers=asked)
    assert "access-control-allow-origin" not in answer.headers


def test_they_are_disconnected_before_their_database_ends(
    own_engine: Callable[..., Engine], lobby: bytes
) -> None:
    engine = own_engine()
    with engine.client() as http:
        database = Database.publish(http, lobby)
        inside = Inside(database)
        inside.add(50, PER_SENDER)
        eventually(lambda: connected(engine, database) == 50)
        database.delete()
        eventually(lambda: connected(engine, database) == 0)
        assert inside.ask("GET", "subscribers").status_code == 404
    # A client that outlives its module cannot be disconnected: the engine would say so.
    assert engine.log.read_text() == ""


def test_a_reset_database_begins_without_subscribers(
    engine: Engine, database: Database, inside: Inside
) -> None:
    inside.add(5, PER_SENDER)
    reset = database.http.put(f"{database.path}/reset", content=b"", headers=database.owner)
    reset.raise_for_status()
    eventually(lambda: connected(engine, database) == 0)
    assert inside.updates() == []


def test_the_engine_ends_in_order_with_subscribers_inside(
    own_engine: Callable[..., Engine], lobby: bytes
) -> None:
    engine = own_engine()
    with engine.client() as http:
        Inside(Database.publish(http, lobby)).add(50, PER_SENDER)
        engine.terminate()
        assert engine.wait() == 0
    assert engine.log.read_text() == ""
    assert list(engine.temporary.iterdir()) == []


def test_two_thousand_fit_into_little_memory(
    engine: Engine, database: Database, inside: Inside
) -> None:
    before = engine.resident_mib()
    inside.add(2000, ANONYMOUS)
    for _ in range(20):
        database.call("settle_street", 1)
    eventually(lambda: inside.updates() == [20] * 2000, within_s=60)
    # What each would have been sent is about 2 kB; the engine's own queue for it takes 5.
    assert engine.resident_mib() - before < 2000 * 20 / 1024
    inside.remove()
    eventually(lambda: connected(engine, database) == 0)
