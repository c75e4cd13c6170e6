"""The stop rule of `--until`: enough repeats for the relative error that was asked for.

The plan holds the rule and the most repeats; how many it takes follows from the observations
alone, so that a run that was interrupted goes on to the same end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from analyzer.errors import FitError
from analyzer.plan import LEAST_REPEATS

if TYPE_CHECKING:
    from analyzer.store import Run


def suffices(run: Run, repeats: int) -> bool:
    """Whether the first `repeats` repeats, taken as whole, are enough by the plan of `run`.

    Each arm's mean cost over its cells with subscribers must be known to within the plan's
    `until`, half of its 95 % interval. Void repeats take no part.
    """
    until = run.plan.until
    if until is None or not LEAST_REPEATS <= repeats < run.plan.repeats:
        return False
    from analyzer.model.cells import samples
    from analyzer.model.spread import relative_error

    frame = run.frame()
    told = frame[(frame["repeat"] < repeats) & (frame["clients"] > 0)]
    try:
        return all(relative_error(samples(arm)) <= until for _, arm in told.groupby("arm"))
    except FitError:
        return False


def repeats_needed(run: Run) -> int:
    """How many repeats make `run` complete, going by those it has."""
    enough = (n for n in range(LEAST_REPEATS, run.plan.repeats) if suffices(run, n))
    return next(enough, run.plan.repeats)
