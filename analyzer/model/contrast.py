"""The same cells measured twice: how many times dearer, and whether that can be told from noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.model.bootstrap import LEVEL, SEED
from analyzer.model.cells import Floats, Samples
from analyzer.model.spread import Layout

DRAWS = 1000
_SURE = 0.8
"""How often a change must be told apart to be called visible."""
_TINY = 1e-9
"""Rounding of logs, which is no difference."""


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """Log ratios of `new` over `base` with their standard errors: over all cells, then of each.

    `times` standard errors on either side make 95 % intervals that hold all together. `smallest`
    are the log ratios that would be told apart in 4 of 5 such contrasts.
    """

    logs: Floats
    errors: Floats
    times: float
    smallest: Floats

    @property
    def ratios(self) -> list[float]:
        """Cost of `new` over cost of `base`."""
        return [float(ratio) for ratio in np.exp(self.logs)]

    @property
    def intervals(self) -> list[tuple[float, float]]:
        """Of the ratios; in 95 of 100 contrasts every one of them holds the truth."""
        low, high = (np.exp(self.logs + side * self.times * self.errors) for side in (-1, 1))
        return [(float(one), float(other)) for one, other in zip(low, high, strict=True)]

    @property
    def told_apart(self) -> list[bool]:
        """Whether the interval of each leaves out 1."""
        return [bool(far) for far in np.abs(self.logs) > self.times * self.errors + _TINY]

    @property
    def visible(self) -> list[float]:
        """The smallest change that would be told apart in 4 of 5 contrasts; 0.1 is 10 %."""
        return [float(change) for change in np.expm1(self.smallest)]


def contrast(base: Samples, new: Samples, *, draws: int = DRAWS, seed: int = SEED) -> Contrast:
    r"""Set the cells of `new`, one arm, against the same cells of `base`, in the same order.

    A parametric bootstrap over repeats: both sides are drawn anew with the scatter that their
    repeats show and no difference between them, and the largest of all |log ratio| / error is
    kept, the errors taken from the draw itself. Its 95 % quantile is `times`: where nothing
    differs, 95 of 100 contrasts tell not one cell apart. That it is taken over errors as uncertain
    as our own is what keeps two or three repeats from claiming too much (bootstrap-t: Davison and
    Hinkley 1997, section 5.2), that it is the largest of all, what keeps many cells from doing so
    (Westfall and Young 1993, Resampling-Based Multiple Testing).

    Raises
    ------
    FitError
        When a side has no cell with two repeats.
    """
    sides = [Layout.of(base), Layout.of(new)]
    first, second = (side.means(side.logs) for side in sides)
    errors = np.sqrt(sum(_variances(side, side.logs) for side in sides))
    rng = np.random.default_rng(seed)
    drawn = [(side, side.drawn(draws, rng)) for side in sides]
    apart = _and_over_all(np.subtract(*(side.means(logs) for side, logs in drawn)))
    scatter = np.sqrt(sum(_variances(side, logs) for side, logs in drawn))
    times = float(np.quantile((np.abs(apart) / np.maximum(scatter, _TINY)).max(axis=-1), LEVEL))
    smallest = np.quantile(times * scatter - apart, _SURE, axis=0)
    return Contrast(_and_over_all(second - first), errors, times, smallest)


def _and_over_all(cells: Floats) -> Floats:
    return np.concatenate([cells.mean(axis=-1, keepdims=True), cells], axis=-1)


def _variances(side: Layout, logs: Floats) -> Floats:
    """Of the mean log cost over all cells and of that of each, one row a draw."""
    found = side.spread(logs)
    over_all = found.of_mean(len(side.logs)) * (1 / side.counts).mean()
    each = np.multiply.outer(found.of_mean(1), 1 / side.counts)
    variances: Floats = np.concatenate([np.expand_dims(over_all, -1), each], axis=-1)
    return np.maximum(0.0, variances)
