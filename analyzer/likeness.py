"""Are two runs alike enough that a difference between them is one of what they measured?"""

from __future__ import annotations

from typing import Any

from analyzer.errors import RunError
from analyzer.store import Run

_WINDOWS = ("windows", "warmup", "writes", "window_ms", "rate")


def unlike(base: Run, new: Run) -> tuple[str, ...]:
    """What differs, each as `engine version: 2.14.0 and 2.15.0`; empty for runs that are alike.

    Repeats, clients, rows and arms may differ: cells common to both are compared. Raises RunError
    for runs of two scenarios, which have no cell in common.
    """
    if base.plan.scenario != new.plan.scenario and not (base.plan.own and new.plan.own):
        raise RunError(
            f"{base.path} measured {base.plan.scenario}, {new.path} measured {new.plan.scenario}: "
            "they have no cell in common"
        )
    one, other = _facts(base), _facts(new)
    told = [f"{name}: {one[name]} and {other[name]}" for name in one if one[name] != other[name]]
    for name in (name for name in base.plan.arms if name in new.plan.arms):
        arms = [run.plan.definition.arm(name) for run in (base, new)]
        if len({(arm.queries, arm.write, arm.client_call, arm.every) for arm in arms}) > 1:
            told.append(f"what clients of {name} subscribe to, or its write")
    return tuple(told + [run.mixed for run in (base, new) if run.mixed])


def _facts(run: Run) -> dict[str, Any]:
    manifest, plan = run.manifest, run.plan
    engine, host = manifest.get("engine") or {}, manifest.get("host") or {}
    module = manifest.get("module_sha256")
    return {
        "server": engine.get("name"),
        "engine version": engine.get("version"),
        "protocol": plan.protocol,
        "subscribers": plan.subscribers,
        "module": module and module[:12],
        **{name: getattr(plan, name) for name in _WINDOWS},
        "machine": f"{host.get('cpu')}, {host.get('cores')} cores",
    }
