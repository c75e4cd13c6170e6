"""Uncertainty from repeats: their deviations drawn anew, refitted, all refits at once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from analyzer.model.cells import Floats, Samples
from analyzer.model.fit import Fit, design
from analyzer.model.nnls import nnls

SEED = 20260901
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


def deviations(data: Samples) -> Floats:
    r"""Relative deviation of every repeat from its cell, all cells with repeats together.

    A deviation from a mean of n is short by :math:`\sqrt{(n-1)/n}` and is stretched by as much
    (Davison and Hinkley 1997, section 2.4).
    """
    return np.concatenate(
        [
            (values / values.mean() - 1) * np.sqrt(len(values) / (len(values) - 1))
            for values in data.repeats
            if len(values) > 1
        ]
    )


def resampled_means(data: Samples, draws: int, rng: np.random.Generator) -> Floats:
    """Mean of each cell in each draw, shape (draws, cells).

    Each repeat is drawn as the mean of its cell times one plus a deviation, picked from those of
    all cells: three repeats alone show too little spread. Drawn within each cell, 95 % intervals
    held the truth in 86 to 94 of 100 (docs/model.md).
    """
    pool = deviations(data)
    drawn = [rng.choice(pool, (draws, len(values))).mean(axis=1) for values in data.repeats]
    means: Floats = data.means * (1 + np.stack(drawn, axis=1))
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
    the doubt about the form is shown by the runner-up, not in here.
    """
    reason = too_few_repeats(fit.data)
    if reason:
        return Bootstrap(None, reason)
    means = resampled_means(fit.data, draws, np.random.default_rng(seed))
    weights = fit.predicted
    return Bootstrap(nnls(design(fit.form, fit.data) / weights[:, None], means / weights))
