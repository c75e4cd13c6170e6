"""What a form may be off by itself: inside the cells, and in how it grows beyond them.

Noise between repeats is the bootstrap's. On a quiet machine that is next to nothing, and an
interval of it alone does not hold the truth four times beyond the clients measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analyzer.model.bootstrap import SEED
from analyzer.model.cells import Floats
from analyzer.model.fit import Fit
from analyzer.model.holdout import HeldOut, drift
from analyzer.model.spread import cell_error

PRIOR = 0.15
"""How far growth beyond the cells was missed in the measured runs, rms (docs/model.md)."""
PRIOR_FREEDOM = 2.0
"""For how many errors of a run's own that counts: a few of them outweigh it."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Two standard errors without a unit, each with its degrees of freedom.

    `misfit` is of the logarithm of a cost inside the cells; `drift` of the power to which its
    growth beyond them is raised (1 is as foretold).
    """

    misfit: float
    misfit_freedom: float
    drift: float
    drift_freedom: float

    def draw(self, draws: int) -> tuple[Floats, Floats]:
        """Factors on a cost and powers of its growth, one of each a draw, by Student's t.

        No power is below 0: a cost does not fall with S.
        """
        # A stream of its own, or the draws would go with those of the bootstrap.
        rng = np.random.default_rng([SEED, 1])
        factors: Floats = np.exp(self.misfit * rng.standard_t(self.misfit_freedom, draws))
        powers: Floats = 1 + self.drift * rng.standard_t(self.drift_freedom, draws)
        return factors, np.maximum(powers, 0.0)


def doubt_of(fit: Fit, held_out: tuple[HeldOut, ...]) -> Doubt:
    """What `fit` may be off by: from its residuals, and from cells held out of fits like it.

    The errors of one fit are alike, and so are those of one row count: they count for as many as
    there are fits and row counts, less one.
    """
    rows = len({int(r) for held in held_out for r in held.rows})
    freedom = len(held_out) + rows - 1 if held_out else 0
    total = freedom * drift(held_out) ** 2 + PRIOR_FREEDOM * PRIOR**2
    return Doubt(
        misfit=_misfit(fit),
        misfit_freedom=fit.freedom,
        drift=math.sqrt(total / (freedom + PRIOR_FREEDOM)),
        drift_freedom=freedom + PRIOR_FREEDOM,
    )


def _misfit(fit: Fit) -> float:
    """The residuals less the noise of the cells' means."""
    error = fit.relative_rms**2 * fit.n / fit.freedom
    return math.sqrt(max(0.0, error - cell_error(fit.data) ** 2))
