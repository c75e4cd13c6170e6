"""What `fit` and `ceiling` read: a run directory, or a table from anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.errors import FitError

if TYPE_CHECKING:
    from analyzer.model.analysis import Analysis
    from analyzer.model.budget import Budget


def analyse_source(
    path: Path, arm: str | None, budget: Budget | None = None, extrapolate: bool = False
) -> Analysis:
    """Analyse the run directory or the CSV table at `path`, one arm of it or all.

    Raises RunError when it is neither, FitError when the arm is not there or no arm has a model.
    """
    from analyzer.model.analysis import BUDGET_MS, analyse
    from analyzer.model.bootstrap import SEED
    from analyzer.model.cells import tidy
    from analyzer.store import load_run
    from analyzer.table import read_table

    if path.is_file():
        frame, seed, mixed, unfinished = tidy(read_table(path)), SEED, "", ""
    else:
        run = load_run(path)
        frame, seed, mixed = run.frame(), run.plan.seed, run.mixed
        unfinished = run.unfinished
    if arm is not None:
        known = ", ".join(dict.fromkeys(frame["arm"]))
        frame = frame[frame["arm"] == arm]
        if frame.empty:
            raise FitError(f"{path} has no arm {arm!r}: it has {known}")
    found = analyse(
        frame,
        budget=budget or BUDGET_MS,
        seed=seed,
        extrapolate=extrapolate,
        refusal=mixed,
        unfinished=unfinished,
    )
    if not any(item.model for item in found.arms):
        raise FitError("; ".join(f"{item.arm}: {item.refusal}" for item in found.arms))
    return found
