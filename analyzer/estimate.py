"""How long a sweep will take and how much memory, by a plain rule, before it is measured.

The rule is that of the embedded engine on two virtual cores (docs/measuring.md): a guess to plan
by, within a factor of two there, and no more than that on another machine or server.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analyzer.plan import LEAST_WRITES, MOST_WRITES, Plan, Step

WRITE_MS, SEEK_MS = 0.03, 0.0015
"""A write by itself, and each index seek of it."""
ROUND_TRIP_MS = 1.3
"""Of a write whose lock time is next to nothing."""
STEP_S, CLIENT_S, DATABASE_S = 0.2, 0.001, 0.2
"""Scrapes and waits of a step, connecting a client, publishing and seeding a database."""
BASE_MIB = 170.0
"""Engine and tool with nobody connected."""
CLIENT_KIB = {"websocket": 75.0, "engine": 35.0}
SEEK_KIB = 0.3
"""Each key that a view holds in the read sets."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A sweep foretold: steps in the order of measuring, and seconds of each."""

    plan: Plan
    steps: tuple[Step, ...]
    seconds: tuple[float, ...]
    memory_mib: float

    @property
    def total_s(self) -> float:
        return sum(self.seconds)

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data; everything in it is an estimate but the order."""
        return {
            "scenario": self.plan.scenario,
            "cells": len(self.plan.cells),
            "estimated_s": round(self.total_s, 1),
            "estimated_memory_mib": round(self.memory_mib),
            "steps": [
                {
                    "arm": step.cell.arm,
                    "clients": step.clients,
                    "rows": step.cell.rows,
                    "repeat": step.block.repeat,
                    "control": step.block.control,
                    "estimated_s": round(seconds, 2),
                }
                for step, seconds in zip(self.steps, self.seconds, strict=True)
            ],
        }


def estimate(plan: Plan) -> Estimate:
    """Foretell the steps of `plan` and what they take, in seconds and MiB."""
    steps = tuple(step for block in plan.blocks() for step in block.steps())
    memory = max(
        step.clients * CLIENT_KIB[plan.subscribers] + SEEK_KIB * _seeks(step) for step in steps
    )
    return Estimate(plan, steps, tuple(map(_seconds, steps)), BASE_MIB + memory / 1024)


def _seconds(step: Step) -> float:
    plan = step.block.plan
    write_ms = max(ROUND_TRIP_MS, WRITE_MS + SEEK_MS * _seeks(step))
    fitting = min(MOST_WRITES, max(LEAST_WRITES, plan.window_ms / write_ms))
    writes = plan.warmup + plan.windows * (plan.writes or fitting)
    each_ms = max(write_ms, 1e3 / plan.rate) if plan.rate else write_ms
    first = step.clients == step.block.clients[0]
    before = step.block.clients[step.block.clients.index(step.clients) - 1] if not first else 0
    connecting = CLIENT_S * (step.clients - before)
    return STEP_S + DATABASE_S * first + connecting + writes * each_ms / 1e3


def _seeks(step: Step) -> float:
    """Per write; undeclared, as if each client read each row once."""
    law = step.block.arm.seeks
    return law(step.clients, step.cell.rows) if law else step.clients * step.cell.rows
