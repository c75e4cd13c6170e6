"""What `fit` and `ceiling` read: a run directory, or a table from anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from analyzer.errors import FitError

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.model.analysis import Analysis
    from analyzer.model.budget import Budget
    from analyzer.model.foretell import Foresight


def analyse_source(
    path: Path,
    arm: str | None,
    budget: Budget | None = None,
    extrapolate: bool = False,
    rows: tuple[int, ...] = (),
) -> Analysis:
    """Analyse the run directory or the CSV table at `path`, one arm of it or all, some rows or all.

    Raises RunError when it is neither, FitError when arm or rows are not there or no arm has a
    model.
    """
    from analyzer.model.analysis import BUDGET_MS, analyse

    source = _read(path, arm, rows)
    found = analyse(
        source.frame,
        budget=budget or BUDGET_MS,
        seed=source.seed,
        extrapolate=extrapolate,
        refusal=source.mixed,
        unfinished=source.unfinished,
    )
    if not any(item.model for item in found.arms):
        raise FitError("; ".join(f"{item.arm}: {item.refusal}" for item in found.arms))
    return found


def foretell_source(
    path: Path, arm: str | None, up_to: int, rows: tuple[int, ...] = ()
) -> tuple[list[Foresight], list[str]]:
    """Train each arm at `path` on at most `up_to` clients; with the arms that have no model.

    Raises RunError when it is neither run nor table, FitError when none can be trained.
    """
    from analyzer.model.foretell import foretell

    source = _read(path, arm, rows)
    if source.mixed:
        raise FitError(source.mixed)
    found, refused = [], []
    for (_, name), cells in source.frame.groupby(["scenario", "arm"], sort=False):
        try:
            found.append(foretell(cells, up_to, seed=source.seed))
        except FitError as error:
            refused.append(f"{name}: {error}")
    if not found:
        raise FitError("; ".join(refused))
    return found, refused


class _Source(NamedTuple):
    frame: pd.DataFrame
    seed: int
    """Of the bootstrap."""
    mixed: str
    """Why its times carry no model, if they do not."""
    unfinished: str


def _read(path: Path, arm: str | None, rows: tuple[int, ...]) -> _Source:
    from analyzer.model.bootstrap import SEED
    from analyzer.model.cells import tidy
    from analyzer.store import load_run
    from analyzer.table import read_table

    if path.is_file():
        frame, seed, mixed, unfinished = tidy(read_table(path)), SEED, "", ""
    else:
        run = load_run(path)
        frame, seed, mixed = tidy(run.frame()), run.plan.seed, run.mixed
        unfinished = run.unfinished
    if arm is not None:
        known = ", ".join(dict.fromkeys(frame["arm"]))
        frame = frame[frame["arm"] == arm]
        if frame.empty:
            raise FitError(f"{path} has no arm {arm!r}: it has {known}")
    if rows:
        frame = frame[frame["rows"].isin(rows)]
        if frame.empty:
            raise FitError(f"{path} has no cells at {', '.join(map(str, rows))} rows")
    return _Source(frame, seed, mixed, unfinished)
