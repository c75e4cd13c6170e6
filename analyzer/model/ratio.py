"""How many times cheaper one view design is than another, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analyzer.errors import FitError
from analyzer.model.bootstrap import DRAWS, SEED, interval, resampled_means, too_few_repeats
from analyzer.model.cells import Floats, samples

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

    The ratio is of means over repeats, its interval a bootstrap with the deviations of both arms
    drawn independently (each repeat is a database of its own).
    """
    rng = np.random.default_rng(seed)
    scenario = str(frame["scenario"].iloc[0])
    arms = {str(arm): _drawn(rows, draws, rng) for arm, rows in frame.groupby("arm", sort=False)}
    theirs = arms.pop(base, {})
    return tuple(
        _ratio(scenario, arm, base, cell, theirs[cell], drawn)
        for arm, ours in arms.items()
        for cell, drawn in ours.items()
        if cell in theirs and cell[0] > 0
    )


def _drawn(
    frame: pd.DataFrame, draws: int, rng: np.random.Generator
) -> dict[tuple[int, int], tuple[float, Floats | None]]:
    """Mean of each cell and its resampled means, None where there is no spread to draw from."""
    try:
        data = samples(frame)
    except FitError:
        return {}
    drawn = None if too_few_repeats(data) else resampled_means(data, draws, rng)
    return {
        (int(s), int(r)): (float(mean), None if drawn is None else drawn[:, i])
        for i, (s, r, mean) in enumerate(zip(data.clients, data.rows, data.means, strict=True))
    }


def _ratio(
    scenario: str,
    arm: str,
    base: str,
    cell: tuple[int, int],
    theirs: tuple[float, Floats | None],
    ours: tuple[float, Floats | None],
) -> Ratio:
    low, high = None, None
    if theirs[1] is not None and ours[1] is not None:
        low, high = interval(theirs[1] / ours[1])
    return Ratio(scenario, arm, base, cell[0], cell[1], theirs[0] / ours[0], low, high)
