"""How many times cheaper one view design is than another, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analyzer.errors import FitError
from analyzer.model.bootstrap import DRAWS, SEED, interval, lone_repeat, resampled_means
from analyzer.model.cells import samples

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Ratio:
    """Write cost of `base` over write cost of `arm`; the 95 % interval is None without repeats."""

    scenario: str
    arm: str
    base: str
    clients: int
    rows: int
    times: float
    low: float | None
    high: float | None


def ratios(
    frame: pd.DataFrame, base: str, *, draws: int = DRAWS, seed: int = SEED
) -> tuple[Ratio, ...]:
    """Compare every arm of one scenario with `base` in each cell with subscribers both have.

    The ratio is of means over repeats, its interval a bootstrap with the repeats of both arms
    drawn independently (each repeat is a database of its own).
    """
    arms = {str(arm): rows for arm, rows in frame.groupby("arm", sort=False)}
    if base not in arms:
        return ()
    rng = np.random.default_rng(seed)
    scenario = str(frame["scenario"].iloc[0])
    found = []
    for arm in arms:
        if arm == base:
            continue
        try:
            ours, theirs = samples(arms[arm]), samples(arms[base])
        except FitError:
            continue
        unsure = bool(lone_repeat(ours) or lone_repeat(theirs))
        spread = resampled_means(theirs, draws, rng), resampled_means(ours, draws, rng)
        there = {cell: i for i, cell in enumerate(zip(theirs.clients, theirs.rows, strict=True))}
        for i, cell in enumerate(zip(ours.clients, ours.rows, strict=True)):
            j = there.get(cell)
            if j is None or cell[0] == 0:
                continue
            times = float(theirs.means[j] / ours.means[i])
            low, high = interval(spread[0][:, j] / spread[1][:, i])
            ends = (None, None) if unsure else (low, high)
            found.append(Ratio(scenario, arm, base, int(cell[0]), int(cell[1]), times, *ends))
    return tuple(found)
