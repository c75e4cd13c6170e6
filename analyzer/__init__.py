"""What subscriptions cost a SpacetimeDB server inside its write lock, and how many it can carry.

The public API. Measuring (`sweep`) and analysing (all else) meet only in the run directory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from analyzer.arms import Arm, Scenario
    from analyzer.assertions import check
    from analyzer.calls import Call
    from analyzer.comparison import Comparison, compare
    from analyzer.controller import sweep
    from analyzer.errors import SweepError
    from analyzer.formula import Formula
    from analyzer.model.analysis import Analysis, analyse
    from analyzer.model.budget import Budget
    from analyzer.model.ceiling import Ceiling, ceiling
    from analyzer.model.model import Model, fit
    from analyzer.plan import Plan
    from analyzer.records import Cell, Observation
    from analyzer.store import Run, load_run
    from analyzer.table import read_table
    from analyzer.target import Target

__all__ = [
    "Analysis",
    "Arm",
    "Budget",
    "Call",
    "Ceiling",
    "Cell",
    "Comparison",
    "Formula",
    "Model",
    "Observation",
    "Plan",
    "Run",
    "Scenario",
    "SweepError",
    "Target",
    "analyse",
    "ceiling",
    "check",
    "compare",
    "fit",
    "load_run",
    "read_table",
    "sweep",
]

_HOMES = {
    "Analysis": "analyzer.model.analysis",
    "Arm": "analyzer.arms",
    "Budget": "analyzer.model.budget",
    "Call": "analyzer.calls",
    "Ceiling": "analyzer.model.ceiling",
    "Cell": "analyzer.records",
    "Comparison": "analyzer.comparison",
    "Formula": "analyzer.formula",
    "Model": "analyzer.model.model",
    "Observation": "analyzer.records",
    "Plan": "analyzer.plan",
    "Run": "analyzer.store",
    "Scenario": "analyzer.arms",
    "SweepError": "analyzer.errors",
    "Target": "analyzer.target",
    "analyse": "analyzer.model.analysis",
    "ceiling": "analyzer.model.ceiling",
    "check": "analyzer.assertions",
    "compare": "analyzer.comparison",
    "fit": "analyzer.model.model",
    "load_run": "analyzer.store",
    "read_table": "analyzer.table",
    "sweep": "analyzer.controller",
}


def __getattr__(name: str) -> Any:
    """Imported when used: the command line must not wait for numpy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'analyzer' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
