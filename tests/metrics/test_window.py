"""Differences of counters: whose time is whose (pitfalls 1, 2, 3, 5, 6)."""

from __future__ import annotations

import math

import pytest

from analyzer.metrics import families as f
from analyzer.metrics.parse import parse
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window, lock_share
from tests.metrics.pages import DB, OTHER, URL, Series, cpu, txns, window


def body(reducer: str, us: float) -> Series:
    return (f.REDUCER_BODY_US, {"db": DB, "reducer": reducer}, us)


def fuel(reducer: str, used: float) -> Series:
    return (f.FUEL, {"db": DB, "reducer": reducer}, used)


def seeks(count: float, db: str = DB, kind: str = "Reducer") -> Series:
    return (f.SEEKS, {"db": db, "txn_type": kind}, count)


def inserted(table: str, rows: float, reducer: str = "write") -> Series:
    labels = {"db": DB, "txn_type": "Reducer", "reducer_or_query": reducer, "table_name": table}
    return (f.ROWS_INSERTED, labels, rows)


def test_a_write_is_a_reducer_and_an_update_transaction_and_nothing_else() -> None:
    seen = window(
        [*cpu("Reducer", 1.0, 10), *cpu("Update", 1.0, 10), *cpu("Subscribe", 1.0, 5, "")],
        [*cpu("Reducer", 1.3, 110), *cpu("Update", 1.2, 110), *cpu("Subscribe", 10.0, 9, "")],
    )
    assert (seen.reducer_count, seen.update_count) == (100, 100)
    assert seen.reducer_s == pytest.approx(0.30)
    assert seen.update_s == pytest.approx(0.20)
    assert seen.write_ms == pytest.approx(3.0 + 2.0)


def test_writes_of_3_and_2_ms_take_6_and_10_percent_of_the_lock_at_20_a_second() -> None:
    assert lock_share(3.0, 20) == pytest.approx(0.06)
    assert lock_share(3.0 + 2.0, 20) == pytest.approx(0.10)


def test_the_cost_of_a_write_grows_with_its_views_not_with_the_calls_own_duration() -> None:
    """Body 120 us in both cells; 150 and 1,400 us per transaction: 1.25 us per client."""
    per_write = []
    for seconds in (150e-6, 1400e-6):
        seen = window([], [*cpu("Reducer", seconds, 1), *cpu("Update", 0, 1), body("write", 120)])
        assert seen.reducer_body_s == pytest.approx(120e-6)
        per_write.append(seen.write_ms or 0.0)
    assert (per_write[1] - per_write[0]) / 999 == pytest.approx(1.25e-3, rel=2e-3)


@pytest.mark.parametrize("with_view_families", [True, False])
def test_view_time_is_never_counted_twice(with_view_families: bool) -> None:
    """The reducer's transaction holds the views; their own series are parts, not additions."""
    series = [
        *cpu("Reducer", 5000e-6, 1),
        body("write", 1000 if with_view_families else 5000),
        body("a_view", 4000),
    ]
    if with_view_families:
        series.append((f.VIEW_TOTAL_US, {"db": DB, "view": "a_view"}, 4000.0))
    seen = window([], series)
    assert seen.module_s == pytest.approx(5000e-6)
    assert seen.reducer_s == pytest.approx(5000e-6)
    assert seen.view_total_s == (pytest.approx(4000e-6) if with_view_families else None)


def test_view_time_is_that_of_all_views_of_this_database() -> None:
    def view(db: str, name: str, us: float) -> list[Series]:
        labels = {"db": db, "view": name}
        return [(f.VIEW_TOTAL_US, labels, us), (f.VIEW_BODY_US, labels, us / 2)]

    seen = window(view(DB, "a", 100), view(DB, "a", 400) + view(DB, "b", 50) + view(OTHER, "a", 9))
    assert seen.view_total_s == pytest.approx(350e-6)
    assert seen.view_body_s == pytest.approx(175e-6)


def test_fuel_is_that_of_the_reducer_and_all_views_but_of_no_other_reducer() -> None:
    seen = window(
        [fuel("write", 10), fuel("a_view", 100)],
        [
            fuel("write", 15), fuel("a_view", 140), fuel("seed", 7000),
            (f.VIEW_CALLS, {"db": DB, "reducer": "write"}, 1),
            (f.VIEW_RUNS, {"db": DB, "view": "a_view"}, 1),
        ],
    )  # fmt: skip
    assert seen.fuel == 5 + 40


def test_fuel_is_unknown_where_a_server_does_not_tell_views_from_reducers() -> None:
    assert window([], [fuel("write", 5), fuel("a_view", 0)]).fuel == 5
    assert window([], [fuel("write", 5), fuel("a_view_or_not", 40)]).fuel is None


def test_other_databases_and_other_reducers_take_no_part() -> None:
    seen = window(
        [],
        [
            *cpu("Reducer", 1.0, 1), *cpu("Reducer", 50.0, 9, "other"),
            *cpu("Reducer", 70.0, 9, db=OTHER), seeks(41), seeks(5, OTHER), seeks(3, kind="Update"),
            txns("Reducer", "write", 1), txns("Reducer", "write", 9, db=OTHER),
        ],
    )  # fmt: skip
    assert (seen.reducer_s, seen.committed) == (1.0, 1)
    assert (seen.index_seeks, seen.update_seeks) == (41, 3)
    assert seen.foreign == {}


def test_the_wait_for_the_lock_is_what_elapsed_beyond_the_time_it_was_held() -> None:
    labels = {"txn_type": "Reducer", "db": DB, "reducer": "write"}
    elapsed = (f"{f.TXN_ELAPSED}_sum", labels, 1.5)
    assert window([], [*cpu("Reducer", 1.0, 10), elapsed]).wait_s == pytest.approx(0.5)


def test_what_was_never_reported_is_unknown() -> None:
    seen = window([], [])
    told = {
        name: getattr(seen, name)
        for name, value in vars(Window).items()
        if isinstance(value, property)
    }
    assert {name for name, value in told.items() if value is not None} == {
        "disconnections", "foreign", "resets",
    }  # fmt: skip


def test_what_began_inside_the_window_counts_from_zero() -> None:
    assert window([], [seeks(41)]).index_seeks == 41
    assert window([seeks(40)], [seeks(41)]).index_seeks == 1
    assert window([seeks(41)], [seeks(41)]).index_seeks == 0


def test_what_was_unknown_before_does_not_count_from_zero() -> None:
    assert window([seeks(math.nan)], [seeks(41)]).index_seeks is None
    assert window([seeks(1)], [seeks(math.nan)]).index_seeks is None
    assert window([seeks(1)], [seeks(math.inf)]).index_seeks is None
    unknown = [txns("Reducer", "write", math.nan)]
    assert window([], unknown).committed is None
    assert window([], unknown).resets == []


def test_beside_commits_an_absent_rollback_series_is_none_rolled_back() -> None:
    seen = window([txns("Reducer", "write", 5)], [txns("Reducer", "write", 9)])
    assert (seen.committed, seen.rolled_back) == (4, 0)
    failed = window([], [txns("Reducer", "write", 40, "false")])
    assert (failed.committed, failed.rolled_back) == (0, 40)


def test_transactions_of_others_in_the_window_are_named() -> None:
    seen = window(
        [txns("Subscribe", "", 3), txns("Reducer", "write", 5), txns("Internal", "", 8)],
        [
            txns("Subscribe", "", 4), txns("Reducer", "write", 9), txns("Update", "write", 4),
            txns("Internal", "", 8), txns("Reducer", "call_identity_connected", 2),
            txns("Sql", "", 1, "false"), txns("Sql", "", 2), txns("Update", "seed", 1),
        ],
    )  # fmt: skip
    assert seen.foreign == {
        ("Subscribe", ""): 1,
        ("Reducer", "call_identity_connected"): 2,
        ("Sql", ""): 3,
        ("Update", "seed"): 1,
    }


def test_only_causes_that_rose_are_disconnections() -> None:
    def gone(cause: str, count: int, db: str = DB) -> Series:
        return (f.DISCONNECTIONS, {"database_identity": db, "cause": cause}, count)

    seen = window(
        [gone("client_close", 5), gone("idle_timeout", 1)],
        [
            gone("client_close", 5), gone("idle_timeout", 3), gone("outgoing_queue_full", 130),
            gone("server_shutdown", 4, OTHER),
        ],
    )  # fmt: skip
    assert seen.disconnections == {"idle_timeout": 2, "outgoing_queue_full": 130}


def test_a_counter_that_falls_or_vanishes_is_a_reset_of_this_database_alone() -> None:
    before = [seeks(100), fuel("write", 5)]
    assert window(before, before).resets == []
    assert window(before, [seeks(3), fuel("write", 5)]).resets == [f.SEEKS]
    assert window(before, [seeks(100)]).resets == [f.FUEL]
    assert window([seeks(9, OTHER)], []).resets == []


def test_labels_a_version_adds_do_not_matter() -> None:
    page = f'{f.SEEKS}{{db="{DB}",txn_type="Reducer",node="7"}} 12\n'
    assert Window(Snapshot({}), parse(page, url=URL), DB, "write").index_seeks == 12


def test_rows_inserted_are_those_of_the_reducer_by_table() -> None:
    before = [inserted("hand", 3), inserted("hand", 9, "other")]
    seen = window(before, [inserted("hand", 5), inserted("seat", 8), inserted("hand", 11, "other")])
    assert seen.rows_inserted() == 2 + 8
    assert seen.rows_inserted("hand") == 2
    assert seen.rows_inserted("nowhere") == 0
    assert window([], [inserted("hand", 1, "other")]).rows_inserted() is None
