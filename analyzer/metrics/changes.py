"""How counters moved between two scrapes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import TypeVar

from analyzer.metrics.snapshot import Labels, Snapshot

_K = TypeVar("_K", bound=Hashable)


def rises(before: Snapshot, after: Snapshot, name: str, **labels: str) -> dict[Labels, float]:
    """By how much each series of `after` rose; one that began in between counts from zero.

    NaN where one of the two values is unknown.
    """
    old = before.values.get(name, {})
    new = after.series(name, **labels)
    return {have: value - old.get(have, 0.0) for have, value in new.items()}


def total(rise: Iterable[float]) -> float | None:
    """None for no series at all, and when any of them is unknown."""
    found = list(rise)
    summed = sum(found)
    return summed if found and math.isfinite(summed) else None


def tally(rise: Iterable[tuple[_K, float]]) -> dict[_K, int]:
    """Whole counts by key, of those that rose."""
    counts: dict[_K, int] = {}
    for key, by in rise:
        if by > 0 and math.isfinite(by):
            counts[key] = counts.get(key, 0) + round(by)
    return counts


def resets(before: Snapshot, after: Snapshot, database: str) -> list[str]:
    """Series names of `database` that fell or went: the server restarted or lost its data."""
    return sorted(
        name
        for name, series in before.values.items()
        if any(
            after.values.get(name, {}).get(labels, -math.inf) < value
            for labels, value in series.items()
            if database in dict(labels).values()
        )
    )
