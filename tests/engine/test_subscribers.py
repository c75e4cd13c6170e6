"""Clients inside the engine: to the engine they are clients like any other."""

from __future__ import annotations

import asyncio
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


def listed(database: Database) -> int:
    """Clients in the module's own table, without the one that asks."""
    return len(database.sql("SELECT * FROM st_client")) - 1


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


def test_they_connect_and_disconnect_by_the_same_transactions_as_web_socket_clients(
    engine: Engine, database: Database, inside: Inside
) -> None:
    reducers = ("call_identity_connected", "__identity_disconnected__")

    async def over_sockets(count: int) -> None:
        clients = [
            await wire.subscribed(engine.address, database.name, PER_SENDER) for _ in range(count)
        ]
        eventually(lambda: connected(engine, database) == count)
        assert await asyncio.to_thread(listed, database) == count
        for client in clients:
            await client.close()

    def inside_the_engine(count: int) -> None:
        inside.add(count, PER_SENDER)
        eventually(lambda: connected(engine, database) == count)
        assert listed(database) == count
        inside.remove()

    def cost(come_and_go: Callable[[], None]) -> list[float]:
        before = [transactions(engine, database, reducer) for reducer in reducers]
        come_and_go()
        eventually(lambda: connected(engine, database) == 0)
        assert listed(database) == 0
        settled = [transactions(engine, database, reducer) for reducer in reducers]
        return [after - start for after, start in zip(settled, before, strict=True)]

    assert cost(lambda: inside_the_engine(7)) == cost(lambda: asyncio.run(over_sockets(7)))


def test_nothing_is_committed_by_counting(
    engine: Engine, database: Database, inside: Inside
) -> None:
    inside.add(3, ANONYMOUS)

    def committed() -> float:
        return engine.metric("spacetime_num_txns_total", db=database.identity)

    def settled() -> float:
        """The counters follow the commits within a few ticks of 5 ms."""
        seen = [committed()]
        eventually(lambda: (seen.append(committed()) or seen[-1]) == seen[-2])  # type: ignore[func-returns-value]
        return seen[-1]

    before = settled()
    for _ in range(50):
        assert inside.updates() == [0, 0, 0]
    assert settled() == before


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


def test_they_end_with_their_database(engine: Engine, http: httpx.Client, lobby: bytes) -> None:
    database = Database.publish(http, lobby)
    inside = Inside(database)
    inside.add(5, PER_SENDER)
    eventually(lambda: connected(engine, database) == 5)
    database.delete()
    eventually(lambda: connected(engine, database) == 0)
    assert inside.ask("GET", "subscribers").status_code == 404


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
    assert "panic" not in engine.log.read_text()
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
