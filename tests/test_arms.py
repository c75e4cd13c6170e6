"""Declared counts, calls with places, and what an arm makes of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.arms import Scenario
from analyzer.calls import Call, fill
from analyzer.errors import UsageError
from analyzer.formula import Formula
from analyzer.plan import Plan
from analyzer.scenarios import LOBBY, SCENARIOS

NUMBERS = st.integers(0, 10_000)


@given(NUMBERS, NUMBERS)
def test_a_declared_count_is_what_its_formula_says(clients: int, rows: int) -> None:
    assert Formula("S*(4*G+1)+1")(clients, rows) == clients * (4 * rows + 1) + 1
    assert Formula("4*R*P + 1")(clients, rows) == (4 * rows + 1 if clients else 1)


@pytest.mark.parametrize(
    "text", ["", "S*", "S**2", "x", "2.5", "True", "print(S)", "S.real", "S if P else 1", "'a'"]
)
def test_a_formula_is_nothing_but_sums_and_products_of_whole_numbers(text: str) -> None:
    with pytest.raises(UsageError, match="is no count"):
        Formula(text)


def test_a_call_fills_its_places_and_reads_its_arguments_as_json() -> None:
    call = Call('bid({i}, {"raise": {rows}, "currency": {"Gold": []}}, null, "by {client}")')
    assert call.reducer == "bid"
    assert call.arguments(i=3, rows=8, client=7) == [
        3, {"raise": 8, "currency": {"Gold": []}}, None, "by 7"
    ]  # fmt: skip
    assert Call("open_practice_room").arguments(i=0, rows=1, client=0) == []
    assert Call("reset()").arguments(i=0, rows=1, client=0) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("bid({room})", "there is no {room}: the places are {i}, {rows}, {client}"),
        ("bid(one)", "the arguments are not JSON"),
        ("bid({i}", "is no call"),
        ("", "is no call"),
    ],
)
def test_a_call_that_is_none_says_what_is_wrong(text: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        Call(text)
    assert told in str(error.value)


def test_sql_without_places_is_left_alone() -> None:
    assert fill("SELECT * FROM a WHERE b = 'c'", i=1, rows=2, client=3).endswith("'c'")


@given(clients=st.integers(0, 30), rows=st.integers(1, 30), writes=st.integers(0, 60))
def test_each_write_to_rows_of_the_clients_reaches_those_who_look_at_it(
    clients: int, rows: int, writes: int
) -> None:
    arm = LOBBY.arm("parameterized")
    among = arm.written_rows(clients, rows)
    written = [number % among for number in range(writes)]
    due = arm.due(clients, rows, written)
    assert due is not None
    watching = [arm.queries_of(client, rows) for client in range(clients)]
    for row in written:
        reached = [f"SELECT * FROM active_game_in_room({row})"] in watching
        assert reached == (clients > 0)
    assert sum(due) == sum(1 for w in written for client in range(clients) if client % rows == w)


def test_a_scenario_survives_the_manifest() -> None:
    for scenario in SCENARIOS.values():
        plan = Plan(scenario="mine", own=scenario, arms=scenario.default_arms, clients=(1,),
                    rows=(2,))  # fmt: skip
        again = Plan.from_dict(json.loads(json.dumps(plan.to_dict())))
        assert again == plan
        assert isinstance(again.own, Scenario)
        assert again.own.arms[0].seeks is not None
        assert again.own.arms[0].seeks(2, 3) == scenario.arms[0].seeks(2, 3)  # type: ignore[misc]
    assert "own" not in Plan(scenario="lobby", arms=("narrow",), clients=(1,), rows=(1,)).to_dict()
