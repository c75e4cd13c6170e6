"""The engine's cleanup of views that nobody watches, without the wait of 10 to 20 minutes."""

from __future__ import annotations

import pytest

from tests.engine.conftest import Database
from tests.engine.process import Engine, eventually
from tests.engine.test_subscribers import ANONYMOUS, PER_SENDER, Inside, transactions


@pytest.mark.parametrize(("query", "clients", "ghosts"), [(PER_SENDER, 5, 5), (ANONYMOUS, 5, 1)])
def test_ghosts_are_paid_for_until_they_are_expired(
    engine: Engine, database: Database, query: str, clients: int, ghosts: int
) -> None:
    inside = Inside(database)
    inside.add(clients, query)
    inside.remove()
    view = query.split()[-1]
    assert view_calls(engine, database, view) == ghosts
    assert inside.ask("POST", "views/expire").json() == {"expired": ghosts}
    assert view_calls(engine, database, view) == 0
    assert inside.ask("POST", "views/expire").json() == {"expired": 0}


def test_views_of_clients_that_stay_are_kept(engine: Engine, database: Database) -> None:
    inside = Inside(database)
    inside.add(3, PER_SENDER)
    assert inside.ask("POST", "views/expire").json() == {"expired": 0}
    assert view_calls(engine, database, "active_game_per_sender") == 3
    eventually(lambda: inside.updates() == [1, 1, 1])


def view_calls(engine: Engine, database: Database, view: str) -> float:
    """How often one write runs this view again."""

    def calls() -> float:
        return engine.metric("view_calls", db=database.identity, view=view)

    def writes() -> float:
        return transactions(engine, database, "settle_street")

    calls_before, writes_before = calls(), writes()
    database.call("settle_street", 1)
    eventually(lambda: writes() == writes_before + 1)
    return calls() - calls_before
