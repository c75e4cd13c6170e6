"""The ledger: what a window must have counted, against what it did.

Counts come before times. A window that breaks its expectation is void and says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analyzer.arms import Arm
from analyzer.units import per_second

LATE_SHARE = 0.1
"""Share of late writes beyond which a paced window says what the generator did, not the server."""
BEHIND_SHARE = 0.05
"""Share of the window's length by which its last write may be behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that one window showed. Counts are sums over the window; None is unknown."""

    clients: int
    rows: int
    writes: int
    failed: int = 0
    committed: int | None
    rolled_back: int | None
    index_seeks: int | None
    view_calls: int | None
    rows_scanned: int | None
    deliveries: tuple[int, ...]
    """Updates received per client."""
    due: tuple[int, ...] | None
    """Updates that the arm declares for each client; None is undeclared."""
    live_clients: int
    disconnections: Mapping[str, int]
    """Client disconnections by the server's own cause."""
    closings: Mapping[str, int]
    """Closed connections by what the client saw."""
    resets: tuple[str, ...] = ()
    foreign: Mapping[tuple[str, str], int]
    """Transactions of others in the window, by (type, reducer)."""
    bytes_sent: int | None = None
    rate: float | None = None
    achieved: float = 0.0
    late_writes: int = 0


def judge(arm: Arm, seen: Evidence) -> tuple[str, ...]:
    """The reasons why the window is void; empty when it is whole."""
    reasons = [
        f"counter {name} fell: the server restarted or lost its data" for name in seen.resets
    ]
    reasons += _commits(seen)
    reasons += _clients(seen)
    if not reasons:
        # With writes or clients missing, the counts below differ for that reason alone.
        reasons += _counts(arm, seen)
        reasons += _deliveries(seen)
    reasons += _generator(seen)
    return tuple(reasons)


def _commits(seen: Evidence) -> list[str]:
    lost = max(seen.rolled_back or 0, seen.failed)
    if lost:
        sent = seen.writes + seen.failed
        return [f"{lost} of {sent} writes rolled back ({lost / sent:.0%}): no cost from this cell"]
    if seen.committed is None:
        return ["committed transactions unknown: the server does not report them"]
    if seen.committed != seen.writes:
        return [f"{seen.committed} of {seen.writes} writes accounted for"]
    return []


def _clients(seen: Evidence) -> list[str]:
    reasons = []
    if seen.live_clients != seen.clients:
        seen_as = seen.disconnections or seen.closings
        causes = ", ".join(f"{cause}: {count}" for cause, count in sorted(seen_as.items()))
        cause = f" (disconnected by the server: {causes})" if seen.disconnections else ""
        if seen.closings and not cause:
            cause = f" (closed: {causes})"
        reasons.append(f"{seen.live_clients} of {seen.clients} clients still connected{cause}")
    return reasons


def _counts(arm: Arm, seen: Evidence) -> list[str]:
    reasons = []
    expected = arm.view_calls(seen.clients, seen.rows) if arm.view_calls else None
    calls = _per_write(seen.view_calls, seen.writes)
    if expected and calls is None:
        reasons.append("view calls unknown: the server does not report them")
    elif expected is not None and calls is not None and calls != expected:
        reasons.append(_view_calls(calls, expected))
    for name, count, law in (
        ("index seeks", seen.index_seeks, arm.seeks),
        ("rows scanned", seen.rows_scanned, arm.rows_scanned),
    ):
        if law is None:
            continue
        wanted = law(seen.clients, seen.rows)
        found = _per_write(count, seen.writes)
        if found is None:
            reasons.append(f"{name} unknown: the server does not report them")
        elif found != wanted:
            reasons.append(
                f"{found:,g} {name} a write, expected {wanted:,} "
                f"({_excess(found - wanted, seen)}){_foreign(seen)}"
            )
    return reasons


def _excess(by: float, seen: Evidence) -> str:
    """`+400: 1 for each client and row`, where it is such a multiple."""
    for share, each in (
        (seen.clients * seen.rows, "client and row"),
        (seen.rows, "row"),
        (seen.clients, "client"),
    ):
        if share > 1 and by % share == 0:
            return f"{by:+,g}: {by / share:,g} for each {each}"
    return f"{by:+,g}"


def _view_calls(calls: float, expected: int) -> str:
    told = f"{calls:,g} view calls a write, expected {expected:,}"
    if calls > expected:
        return f"{told}: {calls - expected:,g} ghosts, views of clients that have gone"
    if expected > 1 and calls == 1:
        return f"{told}: all clients share one identity, so there is one view instance"
    return f"{told}: some subscribers have no view instance of their own"


def _deliveries(seen: Evidence) -> list[str]:
    """A right total is not enough: every client must have had its own share."""
    if seen.due is None or seen.deliveries == seen.due:
        return []
    total = sum(seen.deliveries)
    if not total and seen.bytes_sent == 0:
        return ["nothing was lost, nothing was sent: the writes changed no row of the view"]
    return [
        f"{total:,} of {sum(seen.due):,} deliveries arrived "
        f"(per client {_range(seen.deliveries)}, expected {_range(seen.due)})"
    ]


def _range(counts: tuple[int, ...]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _generator(seen: Evidence) -> list[str]:
    if seen.rate is None or not seen.writes:
        return []
    told = []
    intervals_behind = seen.writes * (seen.rate / seen.achieved - 1)
    # Half an interval is nothing in any window, and one write of a few is no share.
    if intervals_behind > max(0.5, BEHIND_SHARE * seen.writes):
        told.append(f"at least {per_second(seen.achieved)} of {per_second(seen.rate)} achieved")
    if seen.late_writes > max(1, LATE_SHARE * seen.writes):
        told.append(f"{seen.late_writes / seen.writes:.0%} of the writes were sent late")
    return ["the generator was the bottleneck: " + ", ".join(told)] if told else []


def _foreign(seen: Evidence) -> str:
    others = ", ".join(
        f"{count} {kind} {reducer}".rstrip()
        for (kind, reducer), count in sorted(seen.foreign.items())
    )
    return f"; other transactions in the window: {others}" if others else ""


def _per_write(count: int | None, writes: int) -> float | None:
    return None if count is None or not writes else count / writes
