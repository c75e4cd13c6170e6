"""A window closes when every write is accounted for, and never before (pitfalls 4, 8)."""

from __future__ import annotations

import asyncio

import pytest

from analyzer.errors import HttpError, MeasurementError
from analyzer.metrics import families as f
from analyzer.metrics.settle import settle
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window
from tests.metrics.pages import DB, OTHER, for_ever, snapshot, txns, written


def close(
    pages: list[Snapshot],
    acknowledged: int = 100,
    failed: int = 0,
    before: Snapshot | None = None,
) -> tuple[Window, int]:
    """Settle over these pages, the last one for ever; also how many were looked at."""
    looked, source = 0, for_ever(pages)

    async def scrape() -> Snapshot:
        nonlocal looked
        looked += 1
        return next(source)

    window = asyncio.run(
        settle(
            scrape, before or Snapshot({}), database=DB, reducer="write",
            acknowledged=acknowledged, failed=failed, timeout_s=0.2, interval_s=0.001,
        )
    )  # fmt: skip
    return window, looked


def test_only_the_third_page_of_60_95_100_accounts_for_the_window() -> None:
    window, looked = close([written(60), written(95), written(100)])
    assert window.committed == 100
    assert looked == 4, "the third, and one more that confirms it"


def test_a_window_stuck_at_95_is_an_error_with_both_numbers() -> None:
    with pytest.raises(MeasurementError, match=r"95 of 100 writes accounted for after 0\.2 s"):
        close([written(60), written(95)])


def test_a_page_collected_while_the_last_write_was_recorded_is_not_the_one_returned() -> None:
    """Its transactions are all there, the last one's seeks are not: families are not atomic."""
    torn = snapshot(
        *[(name, dict(labels), value)
          for name, series in written(100).values.items()
          for labels, value in series.items()
          if name != f.SEEKS],
        (f.SEEKS, {"db": DB, "txn_type": "Reducer"}, 29 * 99),
    )  # fmt: skip
    window, _ = close([torn, written(100)])
    assert window.index_seeks == 2900


def test_the_update_transactions_are_waited_for_as_well() -> None:
    pages = [written(100, updates=0), written(100, updates=99), written(100)]
    assert close(pages)[1] == 4
    with pytest.raises(MeasurementError, match=r"100 of 100 .* 99 of 100 committed ones with"):
        close([written(100, updates=99)])


def test_more_commits_than_acknowledged_writes_mean_another_writer() -> None:
    told = "103 committed, 100 acknowledged: another writer is on this database"
    with pytest.raises(MeasurementError, match=told):
        close([written(103)])
    with pytest.raises(MeasurementError, match=told):
        close([written(103)], failed=5)
    with pytest.raises(MeasurementError, match="101 committed, 100 acknowledged"):
        close([written(100), written(101)])


def test_more_rollbacks_than_failed_writes_mean_another_writer() -> None:
    with pytest.raises(MeasurementError, match="2 rolled back, 0 failed: another writer"):
        close([written(100, rolled_back=2)])


def test_failed_writes_are_accounted_for_as_rollbacks_without_an_update() -> None:
    window, _ = close([written(60, rolled_back=39), written(60, rolled_back=40)], 60, failed=40)
    assert (window.committed, window.rolled_back, window.update_count) == (60, 40, 60)


def test_when_all_writes_fail_no_update_transaction_is_waited_for() -> None:
    only_rolled_back = snapshot(txns("Reducer", "write", 5, committed="false"))
    window, _ = close([only_rolled_back], 0, failed=5)
    assert (window.committed, window.rolled_back, window.update_count) == (0, 5, None)


def test_an_idle_window_settles_on_an_empty_page() -> None:
    assert close([Snapshot({})], 0)[0].committed is None


def test_the_writes_of_another_database_are_not_counted() -> None:
    with pytest.raises(MeasurementError, match="0 of 7 writes accounted for"):
        close([snapshot(txns("Reducer", "write", 7, db=OTHER))], 7)


def test_a_server_that_restarted_ends_the_wait_at_once() -> None:
    with pytest.raises(MeasurementError, match=rf"counter {f.TXNS} fell: the server restarted"):
        close([snapshot(txns("Reducer", "write", 3))], before=snapshot(txns("Sql", "", 9)))


def test_polls_grow_rarer_while_the_server_lags() -> None:
    """At the first interval throughout there would be 200 of them."""
    looked = 0

    async def scrape() -> Snapshot:
        nonlocal looked
        looked += 1
        return written(95)

    with pytest.raises(MeasurementError):
        asyncio.run(
            settle(
                scrape, Snapshot({}), database=DB, reducer="write", acknowledged=100,
                timeout_s=0.2, interval_s=0.001,
            )
        )  # fmt: skip
    assert 5 < looked < 20


def test_what_the_scrape_raises_is_passed_on() -> None:
    async def scrape() -> Snapshot:
        raise HttpError("GET x: 404", url="x", status=404)

    with pytest.raises(HttpError, match="404"):
        asyncio.run(settle(scrape, Snapshot({}), database=DB, reducer="write", acknowledged=1))
