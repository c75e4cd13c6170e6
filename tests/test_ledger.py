"""The ledger voids what it must, with the reason (pitfalls 5 to 8, 13, 17, 18)."""

from __future__ import annotations

from typing import Any

import pytest

from analyzer.arms import Arm
from analyzer.ledger import Evidence, judge
from analyzer.scenarios import LOBBY, SCENARIOS

PER_SENDER = LOBBY.arm("per_sender")
ANONYMOUS = LOBBY.arm("anonymous")


def evidence(
    arm: Arm = PER_SENDER, clients: int = 50, rows: int = 8, writes: int = 100, **changed: Any
) -> Evidence:
    """A window in which all is as the arm declares, but for what is changed."""
    whole: dict[str, Any] = {
        "clients": clients,
        "rows": rows,
        "writes": writes,
        "committed": writes,
        "rolled_back": 0,
        "index_seeks": arm.seeks(clients, rows) * writes,
        "view_calls": arm.view_calls(clients, rows) * writes,
        "rows_scanned": arm.rows_scanned(clients, rows) * writes,
        "deliveries": (writes,) * clients,
        "due": (writes,) * clients,
        "live_clients": clients,
        "disconnections": {},
        "closings": {},
        "foreign": {},
    }
    return Evidence(**whole | changed)


@pytest.mark.parametrize("clients", [0, 1, 100])
def test_a_window_as_declared_is_whole_in_every_arm(clients: int) -> None:
    for scenario in SCENARIOS.values():
        for arm in scenario.arms:
            assert judge(arm, evidence(arm, clients, 64)) == ()


def test_fifty_sockets_on_one_identity_are_void_in_a_per_sender_arm() -> None:
    [calls, *_] = judge(PER_SENDER, evidence(view_calls=100))
    assert calls.startswith("1 view calls a write, expected 50")
    assert "share one identity" in calls


def test_one_view_call_is_right_in_an_anonymous_arm() -> None:
    assert judge(ANONYMOUS, evidence(ANONYMOUS, view_calls=100)) == ()


def test_yesterdays_clients_are_called_ghosts_and_counted() -> None:
    [calls, *_] = judge(PER_SENDER, evidence(clients=10, view_calls=101_000))
    assert "1,010 view calls a write, expected 10" in calls
    assert "1,000 ghosts" in calls


def test_lost_deliveries_are_void_not_cheap() -> None:
    [reason] = judge(PER_SENDER, evidence(clients=20, deliveries=(70,) * 20))
    assert "1,400 of 2,000 deliveries" in reason


def test_a_right_total_unevenly_delivered_is_void_too() -> None:
    [reason] = judge(PER_SENDER, evidence(clients=20, deliveries=(0, 200) + (100,) * 18))
    assert "2,000 of 2,000 deliveries" in reason
    assert "per client 0 to 200" in reason


def test_a_write_that_changes_nothing_is_not_called_lost() -> None:
    unchanged = evidence(clients=20, deliveries=(0,) * 20, bytes_sent=0)
    [reason] = judge(PER_SENDER, unchanged)
    assert reason.startswith("nothing was lost")
    [reason] = judge(PER_SENDER, evidence(clients=20, deliveries=(0,) * 20, bytes_sent=4096))
    assert "0 of 2,000 deliveries" in reason


def test_rolled_back_writes_give_their_share_and_no_cost() -> None:
    reasons = judge(PER_SENDER, evidence(writes=60, failed=40, rolled_back=40))
    assert reasons == ("40 of 100 writes rolled back (40%): no cost from this cell",)


def test_writes_that_are_not_accounted_for_are_void() -> None:
    assert judge(PER_SENDER, evidence(committed=95)) == ("95 of 100 writes accounted for",)


def test_dropped_clients_are_void_with_the_servers_own_cause() -> None:
    [reason] = judge(
        PER_SENDER,
        evidence(clients=1000, live_clients=870, disconnections={"outgoing_queue_full": 130}),
    )
    assert "870 of 1000 clients" in reason
    assert "outgoing_queue_full: 130" in reason


def test_one_seek_more_per_room_names_the_difference() -> None:
    seeks = (50 * (5 * 8 + 1) + 1) * 100
    [reason] = judge(PER_SENDER, evidence(index_seeks=seeks))
    assert reason == "2,051 index seeks a write, expected 1,651 (+400: 1 for each client and row)"


def test_foreign_transactions_in_the_window_are_named_with_the_miscount() -> None:
    reasons = judge(
        PER_SENDER, evidence(index_seeks=165_200, foreign={("Reducer", "call_identity"): 3})
    )
    assert "3 Reducer call_identity" in reasons[0]


def test_unknown_counts_are_void_never_zero() -> None:
    reasons = judge(PER_SENDER, evidence(index_seeks=None, view_calls=None, rows_scanned=None))
    assert [reason.partition(":")[0] for reason in reasons] == [
        "view calls unknown", "index seeks unknown", "rows scanned unknown"
    ]  # fmt: skip


def test_more_deliveries_than_are_due_are_void_as_well() -> None:
    [reason] = judge(PER_SENDER, evidence(clients=20, deliveries=(101,) + (100,) * 19))
    assert "2,001 of 2,000 deliveries" in reason


def test_a_busy_generator_voids_a_paced_window_and_says_at_least() -> None:
    [reason] = judge(PER_SENDER, evidence(rate=1000.0, achieved=601.0, late_writes=20))
    assert reason == (
        "the generator was the bottleneck: at least 601/s of 1,000/s achieved, "
        "20% of the writes were sent late"
    )


def test_a_rate_that_is_not_achieved_voids_without_a_late_write() -> None:
    [reason] = judge(PER_SENDER, evidence(rate=1000.0, achieved=940.0))
    assert reason == "the generator was the bottleneck: at least 940/s of 1,000/s achieved"


def test_late_writes_void_at_a_rate_that_is_achieved() -> None:
    [reason] = judge(PER_SENDER, evidence(rate=20.0, achieved=20.0, late_writes=11))
    assert reason == "the generator was the bottleneck: 11% of the writes were sent late"


@pytest.mark.parametrize(
    ("writes", "achieved", "late"), [(100, 20.0, 3), (100, 19.1, 10), (3, 20.0, 1), (3, 17.2, 0)]
)
def test_a_hiccup_of_the_generator_is_no_bottleneck(
    writes: int, achieved: float, late: int
) -> None:
    """A tenth of the writes late, or the last one half an interval or 5 % behind."""
    paced = evidence(writes=writes, rate=20.0, achieved=achieved, late_writes=late)
    assert judge(PER_SENDER, paced) == ()


def test_a_closed_loop_makes_no_claim_on_rates() -> None:
    assert judge(PER_SENDER, evidence(rate=None, achieved=1.0, late_writes=100)) == ()


def test_a_counter_that_fell_voids() -> None:
    [reason] = judge(PER_SENDER, evidence(resets=("view_calls",)))
    assert "view_calls fell" in reason
