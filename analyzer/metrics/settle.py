"""Closing a window: metrics lag the commits, so wait until every write is accounted for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from analyzer.errors import MeasurementError
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window

_MOST_S = 0.1


async def settle(
    scrape: Callable[[], Awaitable[Snapshot]],
    before: Snapshot,
    *,
    database: str,
    reducer: str,
    acknowledged: int,
    failed: int = 0,
    timeout_s: float = 10.0,
    interval_s: float = 0.006,
) -> Window:
    """Scrape until transactions and writes agree; returns the window that ends there.

    The server records transactions every 5 ms. A committed write has a `Reducer` and an `Update`
    transaction, a failed one a rolled back `Reducer`. Raises MeasurementError when after
    `timeout_s` seconds some are still missing (nothing is ever divided by a count that was not
    seen), or at once when there are more than were acknowledged.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    while True:
        await asyncio.sleep(interval_s)
        window = Window(before, await scrape(), database, reducer)
        committed = window.committed or 0
        seen, sent = committed + window.rolled_back, acknowledged + failed
        if seen > sent:
            raise MeasurementError(
                f"{seen} transactions for {sent} writes: another writer is on this database"
            )
        updates = window.update_count or 0
        if seen == sent and committed == acknowledged == updates:
            return window
        if loop.time() > deadline:
            raise MeasurementError(
                f"{seen} of {sent} writes accounted for within {timeout_s:g} s, "
                f"{updates} of {acknowledged} subscription updates"
            )
        interval_s = min(interval_s * 1.6, _MOST_S)
