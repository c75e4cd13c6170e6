"""Run directories as a sweep or an experiment would leave them, for tests that need no server."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analyzer.plan import Plan
from analyzer.store import SCHEMA_VERSION, RunWriter
from tests.factory import steps, windows

REASON = "612 index seeks <instead> of 606 & more"


def write_run(path: Path, plan: Plan, *, void: tuple[str, int, int] | None = None) -> Path:
    """A lobby with noise in its times; `void` is the arm, clients and rows of a void cell."""
    path.mkdir()
    manifest = {"plan": plan.to_dict(), "engine": {"name": "SpacetimeDB", "version": "2.14.0"}}
    RunWriter.create(path, manifest)
    chance = random.Random(1)
    lines = []
    for step in steps(plan):
        times, cell = chance.gauss(1, 0.05), step.cell
        bad = (cell.arm, cell.clients, cell.rows) == void
        changed = {"verdict": "void", "reasons": (REASON,)} if bad else {}
        for window in windows(step, **changed):
            reducer_ms = (window.reducer_ms or 0) * times
            parts = {"body_ms": 0.3, "view_body_ms": 0.3, "view_ms": 0.5}
            lines.append(
                replace(
                    window,
                    reducer_ms=reducer_ms,
                    **{name: share * reducer_ms for name, share in parts.items()},
                )
            )
    text = "".join(json.dumps(line.to_dict()) + "\n" for line in lines)
    (path / "observations.jsonl").write_text(text)
    return path


def small_plan(clients: Sequence[int] = (0, 10, 50, 100)) -> Plan:
    return Plan(
        scenario="lobby",
        arms=("per_sender", "anonymous"),
        clients=tuple(clients),
        rows=(8, 64, 256, 1000),
        repeats=3,
        windows=2,
        writes=10,
    )


def write_residue(path: Path) -> Path:
    """Four clients leave after three minutes; their views go at the twentieth."""
    path.mkdir()
    manifest = {
        "schema_version": SCHEMA_VERSION,
        "experiment": "residue",
        "settings": {"clients": 4, "rooms": 3, "churn": None, "expire_now": False},
    }
    (path / "manifest.json").write_text(json.dumps(manifest))
    records: list[dict[str, object]] = [
        {
            "kind": "write",
            "min": minute,
            "clients": 4 if minute < 3 else 0,
            "view_calls": 4 if minute < 20 else 0,
            "index_seeks": 53 if minute < 20 else 1,
            "reducer_ms": 0.3 if minute < 20 else 0.02,
            "update_ms": 0.1,
            "ghosts_predicted": 4 if 3 <= minute < 20 else 0,
        }
        for minute in range(22)
    ]
    records.insert(3, {"kind": "left", "min": 2.5, "clients": 4})
    (path / "records.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records))
    return path
