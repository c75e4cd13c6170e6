"""Observations as a sweep would leave them, for tests that need no server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from analyzer.plan import Plan, Step
from analyzer.records import Observation
from analyzer.store import RunWriter

NOISY = Plan(
    scenario="lobby", arms=("per_sender", "anonymous"), clients=(0, 10, 50, 100), rows=(8, 64),
    repeats=3,
)  # fmt: skip
MACHINE = {
    "engine": {"name": "SpacetimeDB (embedded)", "version": "2.14.0"},
    "module_sha256": "a" * 64,
    "host": {"cpu": "a processor", "cores": 2},
}


def observation(step: Step, window: int = 0, **changed: Any) -> Observation:
    """A whole window of `step`: counts as its arm declares, times from a plain rule."""
    plan, arm, cell = step.block.plan, step.block.arm, step.cell
    writes = plan.writes or 10
    values: dict[str, Any] = {
        "scenario": cell.scenario,
        "arm": cell.arm,
        "clients": cell.clients,
        "rows": cell.rows,
        "repeat": step.block.repeat,
        "window": window,
        "windows": plan.windows,
        "control": step.block.control,
        "database": "c200" + "0" * 60,
        "writes": writes,
        "committed": writes,
        "rolled_back": 0,
        "reducer_ms": 0.02 + 0.003 * arm.seeks(cell.clients, cell.rows),
        "update_ms": 0.005 + 0.001 * cell.clients,
        "view_ms": None,
        "index_seeks": writes * arm.seeks(cell.clients, cell.rows),
        "update_seeks": 0,
        "view_calls": writes * arm.view_calls(cell.clients, cell.rows),
        "rows_scanned": writes * arm.rows_scanned(cell.clients, cell.rows),
        "fuel": 1000 * writes,
        "bytes_sent": 0,
        "deliveries": writes * cell.clients,
        "deliveries_low": writes,
        "deliveries_high": writes,
        "live_clients": cell.clients,
        "rate": None,
        "achieved": 100.0,
        "late_writes": 0,
        "latency_p50_ms": 1.0,
        "latency_p99_ms": 2.0,
        "latency_max_ms": 3.0,
        "loop_lag_ms": 0.5,
        "generator_cpu": 0.1,
        "connect_s": 0.1,
        "wall_s": 0.1,
        "step_s": 0.5,
    }
    return Observation(**values | changed)


def windows(step: Step, **changed: Any) -> list[Observation]:
    return [observation(step, number, **changed) for number in range(step.block.plan.windows)]


def steps(plan: Plan) -> list[Step]:
    return [step for block in plan.blocks() for step in block.steps()]


def write_run(
    path: Path, plan: Plan, manifest: dict[str, Any] | None = None, **changed: Any
) -> Path:
    """A finished run directory without scrapes; `changed` goes into every observation."""
    path.mkdir()
    about = {"plan": plan.to_dict(), "seed": plan.seed, "sittings": []}
    writer = RunWriter.create(path, about | (manifest or {}))
    for step in steps(plan):
        writer.append(windows(step, **changed), [], step)
    return path


def noisy_run(path: Path, seed: int, plan: Plan = NOISY, times: float = 1.0) -> Path:
    """A run whose repeats were slower or faster as a whole, by some percent, and its cells too."""
    rng = np.random.default_rng(seed)
    slower = rng.normal(0, 0.07, plan.repeats)
    path.mkdir()
    about = {"plan": plan.to_dict(), "seed": 1, "sittings": []}
    writer = RunWriter.create(path, about | MACHINE)
    for step in steps(plan):
        plain = observation(step)
        factor = times * np.exp(slower[step.block.repeat] + rng.normal(0, 0.08))
        windows = [
            replace(
                plain,
                window=number,
                reducer_ms=(plain.reducer_ms or 0.0) * factor,
                update_ms=(plain.update_ms or 0.0) * factor,
            )
            for number in range(plan.windows)
        ]
        writer.append(windows, [], step)
    return path
