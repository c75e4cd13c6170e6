"""Differences of counters: whose time is whose (pitfalls 1, 2, 3, 5, 6)."""

from __future__ import annotations

import pytest

from analyzer.metrics import families as f
from analyzer.metrics.parse import parse
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window, lock_share

DB, OTHER = "c200aa", "c200bb"


def snapshot(*series: tuple[str, dict[str, str], float]) -> Snapshot:
    values: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    for name, labels, value in series:
        values.setdefault(name, {})[frozenset(labels.items())] = value
    return Snapshot(values)


def cpu(kind: str, seconds: float, count: int, reducer: str = "write", db: str = DB) -> list:
    labels = {"txn_type": kind, "db": db, "reducer": reducer}
    return [(f"{f.TXN_CPU}_sum", labels, seconds), (f"{f.TXN_CPU}_count", labels, count)]


def window(before: list, after: list) -> Window:
    return Window(snapshot(*before), snapshot(*after), DB, "write")


def test_a_write_is_a_reducer_and_an_update_transaction_and_nothing_else() -> None:
    seen = window(
        [*cpu("Reducer", 1.0, 10), *cpu("Update", 1.0, 10), *cpu("Subscribe", 1.0, 5, "")],
        [*cpu("Reducer", 1.3, 110), *cpu("Update", 1.2, 110), *cpu("Subscribe", 10.0, 9, "")],
    )
    assert seen.reducer_s is not None
    assert seen.update_s is not None
    reducer_ms, update_ms = seen.reducer_s * 10, seen.update_s * 10
    assert (reducer_ms, update_ms) == pytest.approx((3.0, 2.0))
    assert lock_share(reducer_ms, 20) == pytest.approx(0.06)
    assert lock_share(reducer_ms + update_ms, 20) == pytest.approx(0.10)


def test_the_cost_of_a_write_grows_with_its_views_not_with_the_calls_own_duration() -> None:
    """Body 120 us in both cells; 150 and 1,400 us per transaction: 1.25 us per client."""
    per_write = []
    for seconds in (150e-6, 1400e-6):
        body = (f.REDUCER_BODY_US, {"db": DB, "reducer": "write"}, 120.0)
        seen = window([], [*cpu("Reducer", seconds, 1), body])
        assert seen.reducer_body_s == pytest.approx(120e-6)
        per_write.append(seen.reducer_s or 0.0)
    assert (per_write[1] - per_write[0]) / 999 == pytest.approx(1.25e-6, rel=2e-3)


@pytest.mark.parametrize("with_view_families", [True, False])
def test_view_time_is_never_counted_twice(with_view_families: bool) -> None:
    """The reducer's transaction holds the views; their own series are parts, not additions."""
    body_us = 1000.0 if with_view_families else 5000.0
    series = [
        *cpu("Reducer", 5000e-6, 1),
        (f.REDUCER_BODY_US, {"db": DB, "reducer": "write"}, body_us),
        (f.REDUCER_BODY_US, {"db": DB, "reducer": "a_view"}, 4000.0),
    ]
    if with_view_families:
        series.append((f.VIEW_TOTAL_US, {"db": DB, "view": "a_view"}, 4000.0))
    seen = window([], series)
    assert seen.reducer_s == pytest.approx(5000e-6)
    assert seen.reducer_body_s == pytest.approx(body_us / 1e6)
    assert seen.view_total_s == (pytest.approx(4000e-6) if with_view_families else None)


def test_other_databases_and_other_reducers_take_no_part() -> None:
    seen = window(
        [],
        [
            *cpu("Reducer", 1.0, 1),
            *cpu("Reducer", 50.0, 9, reducer="other"),
            *cpu("Reducer", 70.0, 9, db=OTHER),
        ],
    )
    assert seen.reducer_s == 1.0


def test_what_was_never_reported_is_unknown_and_what_began_counts_from_zero() -> None:
    seen = window([], [(f.SEEKS, {"db": DB, "txn_type": "Reducer"}, 41.0)])
    assert seen.index_seeks == 41
    assert seen.rows_scanned is None
    assert seen.view_calls is None
    assert seen.reducer_s is None
    assert seen.fuel is None


def test_transactions_of_others_in_the_window_are_named() -> None:
    def txns(kind: str, reducer: str, count: int) -> tuple:
        labels = {"txn_type": kind, "db": DB, "reducer": reducer, "committed": "true"}
        return (f.TXNS, labels, count)

    seen = window(
        [txns("Subscribe", "", 3), txns("Reducer", "write", 5)],
        [
            txns("Subscribe", "", 4),
            txns("Reducer", "write", 9),
            txns("Update", "write", 4),
            txns("Reducer", "call_identity_connected", 2),
        ],
    )
    assert seen.committed == 4
    assert seen.foreign == {("Subscribe", ""): 1, ("Reducer", "call_identity_connected"): 2}


def test_only_causes_that_rose_are_disconnections() -> None:
    def gone(cause: str, count: int) -> tuple:
        return (f.DISCONNECTIONS, {"database_identity": DB, "cause": cause}, count)

    seen = window(
        [gone("client_close", 5), gone("idle_timeout", 1)],
        [gone("client_close", 5), gone("idle_timeout", 3), gone("outgoing_queue_full", 130)],
    )
    assert seen.disconnections == {"idle_timeout": 2, "outgoing_queue_full": 130}


def test_a_counter_that_falls_or_vanishes_is_a_reset_of_this_database_alone() -> None:
    labels = {"db": DB, "txn_type": "Reducer"}
    before = [(f.SEEKS, labels, 100.0), (f.FUEL, {"db": DB, "reducer": "write"}, 5.0)]
    assert window(before, before).resets == []
    assert window(before, [(f.SEEKS, labels, 3.0), before[1]]).resets == [f.SEEKS]
    assert window(before, [before[0]]).resets == [f.FUEL]
    other = [(f.SEEKS, labels | {"db": OTHER}, 9.0)]
    assert window(other, []).resets == []


def test_labels_a_version_adds_do_not_matter() -> None:
    page = f'{f.SEEKS}{{db="{DB}",txn_type="Reducer",node="7"}} 12\n'
    assert Window(Snapshot({}), parse(page, url="x"), DB, "write").index_seeks == 12
