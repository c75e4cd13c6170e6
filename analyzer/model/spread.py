"""How far repeats scatter: what of it belongs to a whole repeat, and what to each cell in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analyzer.errors import FitError
from analyzer.model.bootstrap import LEVEL
from analyzer.model.cells import Floats, Samples


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    r"""Scatter of the log costs of one arm, repeats as blocks and its cells within them.

    The log cost of cell c in repeat i is :math:`\mu_c + s_i + e_{ci}`: the machine is slower in
    all of repeat i by :math:`s_i`, and each cell differs by a rest. `of_repeats` is the variance
    of a repeat's mean over its cells, :math:`\sigma_s^2 + \sigma_e^2/C`; `of_rest` is
    :math:`\sigma_e^2` (two-way layout, by moments: Searle, Casella and McCulloch 1992, section
    4.2). Neither has a unit. Drawn anew many times, both are arrays with one item a draw.
    """

    of_repeats: Floats
    of_rest: Floats
    repeats: int
    cells: int

    def of_mean(self, cells: int) -> Floats:
        """Variance of the mean log cost of so many cells in one repeat."""
        variance: Floats = self.of_repeats + self.of_rest * (1 / cells - 1 / self.cells)
        return variance

    @property
    def freedom(self) -> float:
        """Degrees of freedom of `of_mean(1)` (Satterthwaite 1946, Biometrics Bulletin 2, 110)."""
        free = self.repeats - 1
        rest = float(self.of_rest) * (1 - 1 / self.cells)
        below = float(self.of_repeats) ** 2 / free + rest**2 / max(1, free * (self.cells - 1))
        return float(self.of_mean(1)) ** 2 / below if below else float(free)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Log costs of one arm, shape (cells, repeats), and which of them were measured."""

    logs: Floats
    there: NDArray[np.bool_]

    @classmethod
    def of(cls, data: Samples) -> Layout:
        """Lay out `data`. Raises FitError when no cell has two repeats."""
        if all(len(values) < 2 for values in data.repeats):
            raise FitError("no interval: one repeat; use --repeats 3 or more")
        known = np.unique(np.concatenate(data.numbers))
        logs = np.zeros((len(data), len(known)))
        there = np.zeros(logs.shape, dtype=bool)
        for cell, (values, numbers) in enumerate(zip(data.repeats, data.numbers, strict=True)):
            at = np.searchsorted(known, numbers)
            logs[cell, at], there[cell, at] = np.log(values), True
        return cls(logs, there)

    @property
    def counts(self) -> NDArray[np.int64]:
        """Repeats of each cell."""
        counted: NDArray[np.int64] = self.there.sum(axis=1)
        return counted

    def means(self, logs: Floats) -> Floats:
        """Mean over the repeats of each cell, of `logs` with the shape of the layout last."""
        means: Floats = (logs * self.there).sum(axis=-1) / self.counts
        return means

    def shares(self, logs: Floats) -> Floats:
        """How much slower each repeat was in all its cells; cells with one repeat do not say."""
        telling = self.there & (self.counts > 1)[:, None]
        total = ((logs - self.means(logs)[..., None]) * telling).sum(axis=-2)
        shares: Floats = total / np.maximum(1, telling.sum(axis=0))
        return shares

    def spread(self, logs: Floats) -> Spread:
        """Take the scatter of `logs` apart."""
        telling = self.there & (self.counts > 1)[:, None]
        shares = self.shares(logs)
        rest = (logs - self.means(logs)[..., None] - shares[..., None, :]) * telling
        cells, repeats = int(telling.any(axis=1).sum()), int(telling.any(axis=0).sum())
        free = int(telling.sum()) - cells - (repeats - 1)
        return Spread(
            of_repeats=(shares**2).sum(axis=-1) / (repeats - 1),
            of_rest=(rest**2).sum(axis=(-2, -1)) / max(1, free),
            repeats=repeats,
            cells=cells,
        )

    def drawn(self, draws: int, rng: np.random.Generator) -> Floats:
        """Normal log costs around 0 with the scatter of these, shape (draws, cells, repeats)."""
        found = self.spread(self.logs)
        shared = np.maximum(0.0, found.of_repeats - found.of_rest / found.cells)
        repeats = rng.normal(size=(draws, 1, self.logs.shape[1])) * np.sqrt(shared)
        logs: Floats = repeats + rng.normal(size=(draws, *self.logs.shape)) * np.sqrt(found.of_rest)
        return logs


def cost_intervals(data: Samples) -> list[tuple[float, float]]:
    """95 % interval of the cost of each cell, in the unit of `data`, by Student's t.

    Raises
    ------
    FitError
        When no cell has two repeats.
    """
    layout = Layout.of(data)
    found = layout.spread(layout.logs)
    far = _student(found.freedom) * np.sqrt(found.of_mean(1) / layout.counts)
    return [(float(m / f), float(m * f)) for m, f in zip(data.means, np.exp(far), strict=True)]


def cell_error(data: Samples) -> float:
    """Standard error of the mean cost of a cell, relative to it, over all cells rms.

    What a whole repeat shares is left out: it is the same in all cells. 0 without repeats.
    """
    if all(len(values) < 2 for values in data.repeats):
        return 0.0
    layout = Layout.of(data)
    return float(np.sqrt(layout.spread(layout.logs).of_rest * (1 / layout.counts).mean()))


def relative_error(data: Samples) -> float:
    """Half of the 95 % interval of the mean cost over all cells, relative to it: 0.05 is 5 %.

    Raises
    ------
    FitError
        When no cell has two repeats.
    """
    layout = Layout.of(data)
    found = layout.spread(layout.logs)
    far = _student(found.repeats - 1) * np.sqrt(found.of_repeats / found.repeats)
    return float(np.exp(far) - 1)


def _student(freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
