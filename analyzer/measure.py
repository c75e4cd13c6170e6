"""Measuring one step: windows of writes between scrapes, judged by the ledger."""

from __future__ import annotations

import dataclasses
import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analyzer.errors import MeasurementError
from analyzer.ledger import Evidence, judge
from analyzer.metrics.parse import parse
from analyzer.metrics.settle import settle
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window
from analyzer.plan import Step
from analyzer.records import Observation
from analyzer.stdb.bsatn import encode_u64
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.generator import GeneratorGuard
from analyzer.swarm.kinds import Subscribers
from analyzer.swarm.writer import Writer, WriteRun

LEAST_WRITES, MOST_WRITES = 3, 100
_DELIVERY_S = 10.0
_SETTLE_S = 30.0


@dataclass(slots=True)
class Bench:
    """One database with its subscribers and its writer."""

    http: StdbHttp
    database: str
    swarm: Subscribers
    writer: Writer
    rows: int
    written: int = 0
    _latest: str = field(default="", repr=False)

    async def scrape(self) -> Snapshot:
        self._latest = await self.http.metrics()
        return parse(self._latest, url=f"{self.http.base_url}/v1/metrics", database=self.database)

    def own_lines(self) -> str:
        """The last page's lines about this database: what is kept of a raw scrape."""
        return "".join(line + "\n" for line in self._latest.split("\n") if self.database in line)

    async def write(self, reducer: str, count: int, rate: float | None) -> WriteRun:
        """Writes go round the rows, so that each changes its row."""
        first, self.written = self.written, self.written + count
        return await self.writer.write(
            reducer, lambda index: encode_u64((first + index) % self.rows), count, rate=rate
        )


@dataclass(frozen=True, slots=True)
class Measured:
    observations: list[Observation]
    scrapes: list[str]


async def measure(step: Step, bench: Bench) -> Measured:
    """Connect the subscribers that are missing, warm up, then write and count window by window.

    A window that cannot be accounted for is void with its reason and ends the step.
    Raises HttpError or MeasurementError when server or writer are gone.
    """
    plan, arm = step.block.plan, step.block.arm
    began = time.perf_counter()
    await bench.swarm.grow_to(step.clients)
    connect_s = time.perf_counter() - began
    before = await bench.scrape()
    warm = await bench.write(arm.write, plan.warmup, None)
    if warm.failed_count == plan.warmup:
        raise MeasurementError(f"{step.cell}: {arm.write} fails: {warm.failed[0]}")
    await bench.swarm.wait_deliveries(warm.acknowledged, timeout_s=_DELIVERY_S)
    before = (await _settled(bench, before, arm.write, warm)).after
    count = plan.writes or _fitting(warm, plan.window_ms)
    observations: list[Observation] = []
    scrapes = [bench.own_lines()]
    for number in range(plan.windows):
        bench.swarm.begin_window()
        with GeneratorGuard() as guard:
            run = await bench.write(arm.write, count, plan.rate)
            await bench.swarm.wait_deliveries(run.acknowledged, timeout_s=_DELIVERY_S)
        window: Window | None = None
        reasons: tuple[str, ...] = ()
        try:
            window = await _settled(bench, before, arm.write, run)
            before = window.after
        except MeasurementError as error:
            reasons = (str(error),)
        seen = _evidence(step, bench, run, window)
        reasons = reasons or judge(arm, seen)
        observations.append(
            _observation(step, bench, run, window, seen, guard, number, reasons, connect_s)
        )
        scrapes.append(bench.own_lines())
        if window is None:
            break
    total, step_s = len(observations), time.perf_counter() - began
    whole = [dataclasses.replace(o, windows=total, step_s=step_s) for o in observations]
    return Measured(whole, scrapes)


def _fitting(warm: WriteRun, window_ms: float) -> int:
    """So many writes that a window lasts about `window_ms`."""
    fastest = float(np.min(warm.latencies_ms))
    return max(LEAST_WRITES, min(MOST_WRITES, math.ceil(window_ms / max(fastest, 1e-3))))


async def _settled(bench: Bench, before: Snapshot, reducer: str, run: WriteRun) -> Window:
    return await settle(
        bench.scrape,
        before,
        database=bench.database,
        reducer=reducer,
        acknowledged=run.acknowledged,
        failed=run.failed_count,
        timeout_s=_SETTLE_S,
    )


def _evidence(step: Step, bench: Bench, run: WriteRun, window: Window | None) -> Evidence:
    return Evidence(
        clients=step.clients,
        rows=step.cell.rows,
        writes=run.acknowledged,
        failed=run.failed_count,
        **_of(window, "committed", "rolled_back", "index_seeks", "view_calls", "rows_scanned"),
        deliveries=tuple(bench.swarm.window_deliveries()),
        live_clients=bench.swarm.live,
        disconnections=window.disconnections if window else {},
        closings=bench.swarm.closings,
        resets=tuple(window.resets) if window else (),
        foreign=window.foreign if window else {},
        bytes_sent=window.bytes_sent if window else None,
        rate=step.block.plan.rate,
        achieved=run.achieved,
        late_writes=run.late,
    )


def _observation(
    step: Step,
    bench: Bench,
    run: WriteRun,
    window: Window | None,
    seen: Evidence,
    guard: GeneratorGuard,
    number: int,
    reasons: tuple[str, ...],
    connect_s: float,
) -> Observation:
    cell, writes = step.cell, max(run.acknowledged, 1)
    latencies = run.latencies_ms if run.acknowledged else np.zeros(1)
    p50, p99, most = np.percentile(latencies, [50, 99, 100])
    return Observation(
        scenario=cell.scenario,
        arm=cell.arm,
        clients=cell.clients,
        rows=cell.rows,
        repeat=step.block.repeat,
        window=number,
        windows=number + 1,
        control=step.block.control,
        database=bench.database,
        writes=run.acknowledged,
        committed=seen.committed,
        rolled_back=seen.rolled_back,
        reducer_ms=_mean_ms(window.reducer_s if window else None, writes),
        update_ms=_mean_ms(window.update_s if window else None, writes),
        view_ms=_mean_ms(window.view_total_s if window else None, writes),
        index_seeks=seen.index_seeks,
        view_calls=seen.view_calls,
        rows_scanned=seen.rows_scanned,
        **_of(window, "update_seeks", "fuel", "bytes_sent"),
        deliveries=sum(seen.deliveries),
        deliveries_low=min(seen.deliveries, default=0),
        deliveries_high=max(seen.deliveries, default=0),
        live_clients=seen.live_clients,
        rate=seen.rate,
        achieved=run.achieved,
        late_writes=run.late,
        latency_p50_ms=float(p50),
        latency_p99_ms=float(p99),
        latency_max_ms=float(most),
        loop_lag_ms=guard.max_lag_ms,
        generator_cpu=guard.cpu_share,
        connect_s=connect_s,
        wall_s=run.wall_s,
        step_s=0.0,
        verdict="void" if reasons else "ok",
        reasons=reasons,
    )


def _of(window: Window | None, *names: str) -> dict[str, Any]:
    """Counts of a window by name; all unknown when it could not be closed."""
    return {name: getattr(window, name) if window else None for name in names}


def _mean_ms(seconds: float | None, writes: int) -> float | None:
    return None if seconds is None else seconds / writes * 1e3
