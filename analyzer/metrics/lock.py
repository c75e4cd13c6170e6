"""Every transaction of a database between two scrapes, whoever made it, with its lock time."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.metrics import families as f
from analyzer.metrics.changes import rises, tally
from analyzer.metrics.snapshot import Labels, Snapshot


@dataclass(frozen=True, slots=True)
class Taken:
    """What the transactions of one kind took of the lock, writers that wait for it included."""

    transactions: int
    """As the server counts them: an `Update`, and the second half of a `Sql`, is the read
    transaction as which the write transaction before it goes on."""
    held_ms: float


def lock_taken(before: Snapshot, after: Snapshot, database: str) -> dict[str, Taken]:
    """By kind, such as `Reducer transfer`, `Update transfer` or `Sql`; only those that rose."""
    counts = tally(
        (_kind(have), by) for have, by in rises(before, after, f.TXNS, db=database).items()
    )
    held_ms = dict.fromkeys(counts, 0.0)
    for have, by in rises(before, after, f"{f.TXN_CPU}_sum", db=database).items():
        if (kind := _kind(have)) in held_ms:
            held_ms[kind] += by * 1e3
    return {kind: Taken(count, held_ms[kind]) for kind, count in counts.items()}


def _kind(labels: Labels) -> str:
    named = dict(labels)
    return f"{named.get('txn_type', '')} {named.get('reducer', '')}".strip()
