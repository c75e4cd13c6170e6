"""Dashboard: what D dashboards that subscribe to everything cost, beside D that read now and then.

Those that read scrape the metrics page and select the one row of totals that the reducer keeps.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from analyzer.arms import Arm
from analyzer.bench import Bench, open_bench
from analyzer.calls import Call
from analyzer.errors import UsageError
from analyzer.experiments.lab import Lab, Record, Records, lab, load_records
from analyzer.metrics.lock import lock_taken
from analyzer.metrics.settle import settle
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window
from analyzer.stdb.connection import fast_available
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.writer import WriteRun
from analyzer.target import Target

ARM = Arm(
    name="everything",
    summary="a dashboard that subscribes to all there is",
    queries=tuple(f"SELECT * FROM {name}" for name in ("rooms_per_sender", "room", "totals")),
    write=Call("settle_hand({i})"),
)
WRITE = ARM.write.reducer
SEED = Call("seed_rooms({rows})")
TOTALS = "SELECT * FROM totals WHERE id = 0"
WAYS = ("subscribe", "read")
_WARMUP = 3
_DELIVERY_S = 10.0
_SETTLE_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`rounds` of `every_s` seconds: `rate` writes a second, and one look of every dashboard."""

    dashboards: tuple[int, ...] = (0, 1, 5, 20)
    rooms: int = 64
    every_s: float = 5.0
    rate: float = 10.0
    rounds: int = 4
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.rate < math.inf:
            raise UsageError(f"--rate {self.rate:g}: it takes writes a second, more than 0")
        if self.writes < 1:
            raise UsageError(
                f"--every {self.every_s:g}s is less than a write at --rate {self.rate:g}"
            )

    @property
    def writes(self) -> int:
        """Of one round."""
        return round(self.rate * self.every_s)

    def cells(self) -> list[tuple[str, int]]:
        """Way and number of dashboards, none always among them, in the seed's order."""
        some = [count for count in self.dashboards if count]
        cells = [("none", 0), *itertools.product(WAYS, some)]
        random.Random(self.seed).shuffle(cells)
        return cells


async def dashboard(
    settings: Settings,
    target: Target,
    *,
    out: Path | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Records:
    """Measure every cell, each in a fresh database; `note` is told of each. Records outlive a
    crash.

    Raises SweepError of the fitting kind.
    """
    async with lab("dashboard", "dashboard", asdict(settings), target, out=out, note=note) as at:
        for way, count in settings.cells():
            await _measure(settings, at, way, count)
        path = at.path
    return load_records(path)


async def _measure(settings: Settings, at: Lab, way: str, count: int) -> None:
    async with (
        at.databases.fresh(f"dashboard-{way}-{count}", at.wasm) as database, open_bench(
            at.http, database, ARM, settings.rooms, seed=SEED, owner=at.owner,
            fast=fast_available(),
        ) as bench,
        contextlib.AsyncExitStack() as opened,
    ):  # fmt: skip
        await bench.swarm.grow_to(count if way == "subscribe" else 0)
        readers = [
            await opened.enter_async_context(
                StdbHttp(at.server.url, token=(await at.http.new_identity()).token)
            )
            for _ in range(count if way == "read" else 0)
        ]
        before = await bench.scrape()
        warm, _ = await bench.write(_WARMUP, rate=None)
        before = (await _settled(bench, before, warm)).after
        for number in range(settings.rounds):
            record, before = await _round(settings, bench, readers, before)
            at.record({"kind": "round", "way": way, "dashboards": count, "round": number}
                      | record)  # fmt: skip
        at.note(
            f"{count} dashboards, {way}: {record['reducer_ms'] + record['update_ms']:.3f} ms "
            f"a write, {'; '.join(record['reasons']) or 'counts as declared'}"
        )


async def _round(
    settings: Settings, bench: Bench, readers: Sequence[StdbHttp], before: Snapshot
) -> tuple[Record, Snapshot]:
    """Paced writes, while every dashboard looks once, all at different times."""
    bench.swarm.begin_window()
    pause_s = settings.every_s / max(len(readers), 1)
    looks = [_look(bench, reader, (at + 0.5) * pause_s) for at, reader in enumerate(readers)]
    (run, _), _ = await asyncio.gather(
        bench.write(settings.writes, rate=settings.rate), asyncio.gather(*looks)
    )
    await bench.swarm.wait_deliveries(run.acknowledged, timeout_s=_DELIVERY_S)
    window = await _settled(bench, before, run)
    deliveries = bench.swarm.window_deliveries()
    taken = lock_taken(before, window.after, bench.database)
    counts = {
        "index_seeks": window.index_seeks,
        "view_calls": window.view_calls,
        "transactions": {kind: part.transactions for kind, part in taken.items()},
        "deliveries": deliveries,
    }
    declared = expected(settings, bench.swarm.size, len(readers))
    reasons = [
        f"{name} {counts[name]}, declared {value}"
        for name, value in declared.items()
        if counts[name] != value
    ]
    record = {
        "writes": run.acknowledged,
        "late_writes": run.late,
        "reads": len(readers),
        "reducer_ms": _mean_ms(window.reducer_s, run),
        "update_ms": _mean_ms(window.update_s, run),
        "bytes_sent": window.bytes_sent,
        **counts,
        "held_ms": {kind: part.held_ms for kind, part in taken.items()},
        "reasons": reasons,
    }
    return record, window.after


def expected(settings: Settings, subscribers: int, readers: int) -> dict[str, object]:
    """Exact counts of one round.

    A write is two seeks, and one a room in the view instance of every subscriber. A select over
    HTTP is three write transactions, of which the statement's own goes on as a read transaction
    that the server counts as well; a scrape is none.
    """
    writes = settings.writes
    looks = {
        "Reducer call_identity_connected": readers,
        "Sql": 2 * readers,
        "Reducer __identity_disconnected__": readers,
    }
    return {
        "index_seeks": writes * (subscribers * settings.rooms + 2),
        "view_calls": writes * subscribers,
        "transactions": {
            f"Reducer {WRITE}": writes,
            f"Update {WRITE}": writes,
        }
        | (looks if readers else {}),
        "deliveries": [writes] * subscribers,
    }


async def _look(bench: Bench, reader: StdbHttp, after_s: float) -> None:
    await asyncio.sleep(after_s)
    await reader.metrics()
    await reader.sql(bench.database, TOTALS)


async def _settled(bench: Bench, before: Snapshot, run: WriteRun) -> Window:
    return await settle(
        bench.scrape, before, database=bench.database, reducer=WRITE,
        acknowledged=run.acknowledged, failed=run.failed_count, timeout_s=_SETTLE_S,
    )  # fmt: skip


def _mean_ms(seconds: float | None, run: WriteRun) -> float | None:
    return None if seconds is None or not run.acknowledged else seconds / run.acknowledged * 1e3
