"""Uncertainty from repeats: their deviations drawn anew, refitted, all refits at once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from analyzer.model.cells import Floats, Samples
from analyzer.model.fit import Fit, design
from analyzer.model.nnls import nnls

SEED = 20260901
_TINY = 1e-300
DRAWS = 2000
LEVEL = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Coefficients of every refit, in ms, shape (draws, terms).

    None without repeats, and then `reason` says so.
    """

    coefficients: Floats | None = field(repr=False)
    reason: str = ""

    def intervals(self) -> list[tuple[float, float]] | None:
        """95 % percentile interval of each coefficient, in ms."""
        if self.coefficients is None:
            return None
        return [interval(column) for column in self.coefficients.T]


def interval(values: Floats) -> tuple[float, float]:
    """95 % percentile interval, each end a value that occurred; equal values give [x, x].

    Ends are not interpolated, so a whole number stays whole and an infinite end stays infinite.
    """
    tail = (1 - LEVEL) / 2
    low = float(np.quantile(values, tail, method="inverted_cdf"))
    return low, float(np.quantile(values, 1 - tail, method="inverted_cdf"))


def deviations(data: Samples) -> tuple[Floats, NDArray[np.int64]]:
    r"""Relative deviation of every repeat from its cell, all cells with repeats together.

    With it, the number of that repeat. A deviation from a mean of n is short by
    :math:`\sqrt{(n-1)/n}` and is stretched by as much (Davison and Hinkley 1997, section 2.4).
    """
    cells = [
        ((values / values.mean() - 1) * np.sqrt(len(values) / (len(values) - 1)), numbers)
        for values, numbers in zip(data.repeats, data.numbers, strict=True)
        if len(values) > 1
    ]
    values, numbers = (np.concatenate(parts) for parts in zip(*cells, strict=True))
    return values, numbers


def resampled_means(data: Samples, draws: int, rng: np.random.Generator) -> Floats:
    """Mean of each cell in each draw, shape (draws, cells).

    A deviation is what the machine did to the whole repeat, the mean over its cells, plus a rest
    of its own. Each repeat draws its share from those of all repeats, in every cell the same; the
    rest is drawn from that of all cells, for three repeats alone show too little spread
    (docs/model.md). What the means would scatter by the rest alone is taken off them (variance
    components by moments: Searle, Casella and McCulloch 1992, section 3.6).
    """
    values, numbers = deviations(data)
    known = np.unique(numbers)
    shared = np.array([values[numbers == number].mean() for number in known])
    rest = values - shared[np.searchsorted(known, numbers)]
    rest *= np.sqrt(len(rest) / max(1, len(rest) - len(known)))
    by_chance = (rest**2).mean() * len(known) / len(values)
    shared *= np.sqrt(max(0.0, 1 - by_chance / max((shared**2).mean(), by_chance, _TINY)))
    every = np.unique(np.concatenate(data.numbers))
    drawn = rng.choice(shared, (draws, len(every)))
    factors = [
        drawn[:, np.searchsorted(every, own)].mean(axis=1)
        + rng.choice(rest, (draws, len(own))).mean(axis=1)
        for own in data.numbers
    ]
    means: Floats = data.means * (1 + np.stack(factors, axis=1))
    return means


def too_few_repeats(data: Samples) -> str:
    """Say why there is no spread to draw from, or nothing when there is."""
    repeated = sum(len(values) > 1 for values in data.repeats)
    if not repeated:
        return "no interval: one repeat; use --repeats 3 or more"
    if 2 * repeated < len(data):
        return f"no interval: only {repeated} of {len(data)} cells have more than one repeat"
    return ""


def bootstrap(fit: Fit, *, draws: int = DRAWS, seed: int = SEED) -> Bootstrap:
    """Refit `fit.form` to `draws` resamples of the repeats.

    Weights stay those of the fit, so the refits scatter around it. The form is taken as known:
    what it may be off by itself is in `doubt.py`.
    """
    reason = too_few_repeats(fit.data)
    return Bootstrap(None, reason) if reason else Bootstrap(_refits(fit, draws, seed))


def _refits(fit: Fit, draws: int, seed: int) -> Floats:
    if fit.parts:
        # One seed draws the same repeats for every part: what was slow was slow in all of them.
        return np.hstack([_refits(part, draws, seed) for part in fit.parts])
    means = resampled_means(fit.data, draws, np.random.default_rng(seed))
    weights = fit.predicted
    return nnls(design(fit.form, fit.data) / weights[:, None], means / weights)
