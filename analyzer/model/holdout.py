"""Fitted to fewer clients, a form has to predict the most: the test that a ceiling needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from analyzer.model.cells import Floats, Samples
from analyzer.model.fit import Fit

BEND = 0.25
"""A share by which a cost may be above its prediction before it is called a bend."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The cells of the most clients, predicted by a fit to all others.

    `rows`, `measured` and `predicted` have one item a cell; costs in ms.
    """

    fit: Fit
    clients: int
    rows: Floats
    measured: Floats
    predicted: Floats

    @property
    def error(self) -> float:
        """Root of the mean squared error relative to the measured costs: 0.1 is 10 %."""
        return math.sqrt(float(((self.predicted / self.measured - 1) ** 2).mean()))

    @property
    def bends(self) -> dict[int, float]:
        """Row counts that cost more than predicted, by more than noise: R -> how many times.

        More than `BEND` and than twice the error of the fit to the others.
        """
        n, k = self.fit.n, self.fit.form.parameters
        noise = self.fit.relative_rms * math.sqrt(n / (n - k))
        above = 1 + max(BEND, 2 * noise)
        times = self.measured / self.predicted
        return {int(r): float(t) for r, t in zip(self.rows, times, strict=True) if t > above}


def split(data: Samples) -> tuple[Samples, Samples]:
    """The cells below the largest S, and those at it."""
    most = data.clients == data.clients.max()
    return data.where(~most), data.where(most)


def hold_out(fit: Fit, most: Samples) -> HeldOut:
    """Predict the cells of `most`, all of one S, by a fit that has not seen them."""
    s = most.clients[0]
    predicted = np.array([fit.predict(s, r) for r in most.rows])
    return HeldOut(fit, int(s), most.rows, most.means, predicted)
