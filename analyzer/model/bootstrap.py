"""Uncertainty from repeats: resampled within each cell, refitted, all refits at once."""

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


def resampled_means(data: Samples, draws: int, rng: np.random.Generator) -> Floats:
    r"""Mean of each cell in each draw, shape (draws, cells).

    Of a cell's n repeats, n - 1 are drawn with replacement: the variance of their mean is then
    :math:`s^2/n` with the unbiased s, where drawing n would give (n-1)/n of it, a third too
    little at three repeats (Rao and Wu 1988, JASA 83, 231-241). One repeat has no spread to draw
    from and stays as it is.
    """
    means = np.empty((draws, len(data)))
    for cell, values in enumerate(data.repeats):
        n = len(values)
        picks = rng.integers(n, size=(draws, max(n - 1, 1)))
        means[:, cell] = values[picks].mean(axis=1)
    return means


def lone_repeat(data: Samples) -> str:
    """Say which cell has one repeat only, or nothing when all have more."""
    lone = [cell for cell, values in enumerate(data.repeats) if len(values) < 2]
    if not lone:
        return ""
    if len(lone) == len(data):
        return "no interval: one repeat; use --repeats 3 or more"
    s, r = data.clients[lone[0]], data.rows[lone[0]]
    return f"no interval: one repeat in {len(lone)} cell(s), the first S={s:.0f} R={r:.0f}"


def bootstrap(fit: Fit, *, draws: int = DRAWS, seed: int = SEED) -> Bootstrap:
    """Refit `fit.form` to `draws` resamples of the repeats.

    Weights stay those of the fit, so the refits scatter around it. The form is taken as known:
    the doubt about the form is shown by the runner-up, not in here.
    """
    reason = lone_repeat(fit.data)
    if reason:
        return Bootstrap(None, reason)
    means = resampled_means(fit.data, draws, np.random.default_rng(seed))
    weights = fit.predicted
    return Bootstrap(nnls(design(fit.form, fit.data) / weights[:, None], means / weights))
