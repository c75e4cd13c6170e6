"""A window closes when every write is accounted for, and never before (pitfalls 4, 8)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from analyzer.errors import MeasurementError
from analyzer.metrics import families as f
from analyzer.metrics.settle import settle
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window

DB = "c200aa"


def after(committed: int, updates: int | None = None, rolled_back: int = 0) -> Snapshot:
    base = {"db": DB, "reducer": "write", "txn_type": "Reducer"}
    txns = {frozenset((base | {"committed": "true"}).items()): float(committed)}
    if rolled_back:
        txns[frozenset((base | {"committed": "false"}).items())] = float(rolled_back)
    update = frozenset((base | {"txn_type": "Update"}).items())
    counted = {update: float(committed if updates is None else updates)}
    return Snapshot({f.TXNS: txns, f"{f.TXN_CPU}_count": counted})


def close(pages: list[Snapshot], acknowledged: int = 100, failed: int = 0) -> tuple[Window, int]:
    """Settle over these pages, the last one for ever; also how many were looked at."""
    looked = 0

    def forever() -> Iterator[Snapshot]:
        yield from pages
        while True:
            yield pages[-1]

    source = forever()

    async def scrape() -> Snapshot:
        nonlocal looked
        looked += 1
        return next(source)

    window = asyncio.run(
        settle(
            scrape, Snapshot({}), database=DB, reducer="write", acknowledged=acknowledged,
            failed=failed, timeout_s=0.2, interval_s=0.001,
        )
    )  # fmt: skip
    return window, looked


def test_only_the_scrape_that_shows_every_write_closes_the_window() -> None:
    window, looked = close([after(60), after(95), after(100)])
    assert looked == 3
    assert window.committed == 100


def test_a_window_stuck_short_is_an_error_with_both_numbers() -> None:
    with pytest.raises(MeasurementError, match="95 of 100 writes accounted for"):
        close([after(60), after(95)])


def test_the_update_transactions_are_waited_for_as_well() -> None:
    _, looked = close([after(100, updates=0), after(100, updates=99), after(100)])
    assert looked == 3


def test_more_transactions_than_writes_mean_another_writer() -> None:
    with pytest.raises(MeasurementError, match="103 transactions for 100 writes: another writer"):
        close([after(103)])


def test_failed_writes_are_accounted_for_as_rollbacks() -> None:
    window, _ = close([after(60, rolled_back=39), after(60, rolled_back=40)], 60, failed=40)
    assert (window.committed, window.rolled_back) == (60, 40)


def test_all_writes_failing_needs_no_update_transaction() -> None:
    window, _ = close([after(0, rolled_back=5)], 0, failed=5)
    assert window.rolled_back == 5
