"""Closing a window: metrics lag the commits, so wait until every write is accounted for."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from analyzer.errors import MeasurementError
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window

_GROWTH = 1.6
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
    """Scrape until transactions and writes agree; returns the window of one scrape more.

    The server records transactions every 5 ms, one counter after another, and collects a page
    one family after another. So the page on which the last write appears may still lack its
    seeks or its time; the next one, which must agree as well, has them.

    A committed write has a `Reducer` and an `Update` transaction, a failed one a rolled back
    `Reducer` alone. Raises MeasurementError when after `timeout_s` seconds some are missing
    (nothing is ever divided by a count that was not seen), and at once when there are more than
    were acknowledged or a counter fell.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + timeout_s
    pause_s, agreed = interval_s, False
    while True:
        await asyncio.sleep(pause_s)
        window = Window(before, await scrape(), database, reducer)
        agrees = _agrees(window, acknowledged, failed)
        if agrees and agreed:
            return window
        if not agrees and loop.time() > deadline:
            raise MeasurementError(_short(window, acknowledged + failed, timeout_s))
        agreed = agrees
        # A page is large and the server pays for it: ask less and less often.
        pause_s = interval_s if agrees else min(pause_s * _GROWTH, _MOST_S)


def _agrees(window: Window, acknowledged: int, failed: int) -> bool:
    """Raises MeasurementError when no later scrape can mend the account."""
    if window.resets:
        raise MeasurementError(
            f"counter {window.resets[0]} fell: the server restarted or lost its data"
        )
    seen = (window.committed or 0, window.rolled_back or 0, window.update_count or 0)
    for count, sent, did, was in (
        (seen[0], acknowledged, "committed", "acknowledged"),
        (seen[1], failed, "rolled back", "failed"),
    ):
        if count > sent:
            raise MeasurementError(
                f"{count} {did}, {sent} {was}: another writer is on this database"
            )
    return seen == (acknowledged, failed, acknowledged)


def _short(window: Window, sent: int, timeout_s: float) -> str:
    committed = window.committed or 0
    return (
        f"{committed + (window.rolled_back or 0)} of {sent} writes accounted for "
        f"after {timeout_s:g} s, {window.update_count or 0} of {committed} committed ones "
        "with their subscription update"
    )
