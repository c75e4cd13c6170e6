"""Snapshots and scrapes for tests that need no server."""

from __future__ import annotations

from collections.abc import Iterator

from analyzer.metrics import families as f
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window

DB, OTHER = "c200aa", "c200bb"
URL = "http://127.0.0.1:3000/v1/metrics"

Series = tuple[str, dict[str, str], float]


def snapshot(*series: Series) -> Snapshot:
    values: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    for name, labels, value in series:
        values.setdefault(name, {})[frozenset(labels.items())] = value
    return Snapshot(values)


def window(before: list[Series], after: list[Series]) -> Window:
    return Window(snapshot(*before), snapshot(*after), DB, "write")


def cpu(
    kind: str, seconds: float, count: int, reducer: str = "write", db: str = DB
) -> list[Series]:
    labels = {"txn_type": kind, "db": db, "reducer": reducer}
    return [(f"{f.TXN_CPU}_sum", labels, seconds), (f"{f.TXN_CPU}_count", labels, count)]


def txns(kind: str, reducer: str, count: float, committed: str = "true", db: str = DB) -> Series:
    labels = {"txn_type": kind, "db": db, "reducer": reducer, "committed": committed}
    return (f.TXNS, labels, count)


def written(committed: int, updates: int | None = None, rolled_back: int = 0) -> Snapshot:
    """A page after so many writes, 29 seeks each, beside another database of the server."""
    series = [txns("Reducer", "write", committed), txns("Reducer", "write", 7, db=OTHER)]
    if rolled_back:
        series.append(txns("Reducer", "write", rolled_back, committed="false"))
    series += cpu("Update", 1e-3, committed if updates is None else updates)
    series.append((f.SEEKS, {"db": DB, "txn_type": "Reducer"}, 29 * committed))
    return snapshot(*series)


def for_ever(pages: list[Snapshot]) -> Iterator[Snapshot]:
    yield from pages
    while True:
        yield pages[-1]
