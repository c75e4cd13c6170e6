"""Measuring one step: windows of writes between scrapes, judged by the ledger."""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from analyzer.bench import Bench
from analyzer.errors import MeasurementError
from analyzer.ledger import Evidence, judge
from analyzer.metrics.settle import settle
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window
from analyzer.plan import Step
from analyzer.records import Observation
from analyzer.rowcheck import unlike_rows
from analyzer.swarm.generator import GeneratorGuard
from analyzer.swarm.subscribers import Swarm
from analyzer.swarm.writer import WriteRun

_DELIVERY_S = 10.0
_QUIET_S = 0.05
_SETTLE_S = 30.0


@dataclass(frozen=True, slots=True)
class Measured:
    observations: list[Observation]
    scrapes: list[str]


async def measure(step: Step, bench: Bench) -> Measured:
    """Connect the subscribers that are missing, warm up, then write and count window by window.

    A window that cannot be accounted for is void with its reason and ends the step.
    Raises HttpError or MeasurementError when server or writer are gone.
    """
    plan, arm = step.block.plan, bench.arm
    reducer = arm.write.reducer
    began = time.perf_counter()
    await bench.swarm.grow_to(step.clients)
    connect_s = time.perf_counter() - began
    before = await bench.scrape()
    bench.swarm.begin_window()
    warm, rows = await bench.write(plan.warmup, None)
    if warm.failed_count == plan.warmup:
        raise MeasurementError(f"{step.cell}: {reducer} fails: {warm.failed[0]}")
    await _delivered(bench, warm, arm.due(step.clients, bench.rows, rows))
    before = (await _settled(bench, before, reducer, warm)).after
    count = plan.writes_of(float(np.min(warm.latencies_ms)))
    observations: list[Observation] = []
    scrapes = [bench.own_lines()]
    for number in range(plan.windows):
        bench.swarm.begin_window()
        with GeneratorGuard() as guard:
            run, rows = await bench.write(count, plan.rate)
            due = arm.due(step.clients, bench.rows, rows)
            await _delivered(bench, run, due)
        window: Window | None = None
        reasons: tuple[str, ...] = ()
        try:
            window = await _settled(bench, before, reducer, run)
            before = window.after
        except MeasurementError as error:
            reasons = (str(error),)
        seen = _evidence(step, bench, run, window, due)
        reasons = reasons or judge(arm, seen)
        observations.append(
            _observation(step, bench, run, window, seen, guard, number, reasons, connect_s)
        )
        scrapes.append(bench.own_lines())
        if window is None:
            break
    total, step_s = len(observations), time.perf_counter() - began
    whole = [dataclasses.replace(o, windows=total, step_s=step_s) for o in observations]
    if arm.rows_of and step.last and not any(o.reasons for o in whole):
        reference = plan.definition.arm(arm.rows_of)
        assert isinstance(bench.swarm, Swarm), "a plan has no rows checked inside the engine"
        if reason := await unlike_rows(bench.swarm, bench.schema, reference, bench.rows):
            whole = [dataclasses.replace(o, verdict="void", reasons=(reason,)) for o in whole]
    return Measured(whole, scrapes)


async def _delivered(bench: Bench, run: WriteRun, due: tuple[int, ...] | None) -> None:
    """Wait for what is due to the clients; where nothing is declared, until they are quiet."""
    if due is None:
        await bench.swarm.wait_quiet(_QUIET_S, timeout_s=_DELIVERY_S)
    elif not run.failed_count:
        await bench.swarm.wait_deliveries(due, timeout_s=_DELIVERY_S)


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


def _evidence(
    step: Step, bench: Bench, run: WriteRun, window: Window | None, due: tuple[int, ...] | None
) -> Evidence:
    counted = _of(window, "committed", "rolled_back", "index_seeks", "view_calls", "rows_scanned")
    foreign = window.foreign if window else {}
    if any(kind == "Reducer" for kind, _ in foreign):
        # Two families have no reducer label: no law to hold them to, no telling whose they are.
        laws = (("index_seeks", bench.arm.seeks), ("rows_scanned", bench.arm.rows_scanned))
        counted |= {name: None for name, law in laws if law is None}
    return Evidence(
        clients=step.clients,
        rows=step.cell.rows,
        writes=run.acknowledged,
        failed=run.failed_count,
        **counted,
        deliveries=tuple(bench.swarm.window_deliveries()),
        due=due,
        live_clients=bench.swarm.live,
        disconnections=window.disconnections if window else {},
        closings=bench.swarm.closings,
        resets=tuple(window.resets) if window else (),
        foreign=foreign,
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
    # Without a word on views, the reducer's body may hold theirs: no part is known then.
    splits = window is not None and window.view_total_s is not None
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
        body_ms=_mean_ms(window.reducer_body_s if window and splits else None, writes),
        view_ms=_mean_ms(window.view_total_s if window else None, writes),
        view_body_ms=_mean_ms(window.view_body_s if window else None, writes),
        index_seeks=seen.index_seeks,
        view_calls=seen.view_calls,
        rows_scanned=seen.rows_scanned,
        uncounted=bench.schema.uncounted(bench.arm.tables),
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
