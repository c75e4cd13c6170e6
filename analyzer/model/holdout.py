"""Fitted to fewer clients, a form has to predict more of them: the test that a ceiling needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from analyzer.errors import FitError
from analyzer.model.cells import Floats, Samples
from analyzer.model.checks import CONDITION, condition
from analyzer.model.fit import Fit

BEND = 0.25
"""A share by which a cost may be above its prediction before it is called a bend."""

Fitter = Callable[[Samples], Fit]
"""Fits one form to any cells. Raises FitError when they cannot carry it."""


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The cells of more clients, predicted by a fit to those of fewer.

    `clients`, `rows`, `measured`, `predicted` and `growth` have one item a cell; costs in ms.
    `growth` is the logarithm of how many times the cost grows, by the prediction, from the most
    clients that the fit has seen to the cell.
    """

    fit: Fit
    clients: Floats
    rows: Floats
    measured: Floats
    predicted: Floats
    growth: Floats

    @property
    def error(self) -> float:
        """Root of the mean squared error relative to the measured costs: 0.1 is 10 %."""
        return math.sqrt(float(((self.predicted / self.measured - 1) ** 2).mean()))

    @property
    def logs(self) -> Floats:
        """Logarithm of measured over predicted."""
        errors: Floats = np.log(self.measured / self.predicted)
        return errors

    @property
    def bends(self) -> dict[int, float]:
        """Row counts that cost more than predicted, by more than noise: R -> how many times.

        More than `BEND` and than twice the error of the fit to the others.
        """
        noise = self.fit.relative_rms * math.sqrt(self.fit.n / self.fit.freedom)
        above = 1 + max(BEND, 2 * noise)
        times = self.measured / self.predicted
        return {int(r): float(t) for r, t in zip(self.rows, times, strict=True) if t > above}


def hold_out(fitter: Fitter, data: Samples, seen: float) -> HeldOut | None:
    """Predict all cells above S = `seen` from a fit to the others; None when these carry none."""
    few = data.clients <= seen
    fewer, more = data.where(few), data.where(~few)
    try:
        fit = fitter(fewer)
    except FitError:
        return None
    if not fit.parts and condition(fit.form, fewer) > CONDITION:
        return None
    cells = list(zip(more.clients, more.rows, strict=True))
    predicted = np.array([fit.predict(s, r) for s, r in cells])
    edge = np.array([fit.predict(seen, r) for _, r in cells])
    return HeldOut(fit, more.clients, more.rows, more.means, predicted, np.log(predicted / edge))


def cuts(data: Samples) -> Floats:
    """Client counts above 0, ascending, all but the most: where cells can be held out."""
    counts: Floats = np.unique(data.clients[data.clients > 0])[:-1]
    return counts


def rolled(fitter: Fitter, data: Samples) -> tuple[HeldOut, ...]:
    """Hold out at every client count, from fewest seen to most (Tashman 2000).

    References
    ----------
    Tashman, Out-of-sample tests of forecasting accuracy, Int. J. Forecasting 16 (2000), 437-450.
    """
    found = (hold_out(fitter, data, float(seen)) for seen in cuts(data))
    return tuple(held_out for held_out in found if held_out)


def rms(held_out: Sequence[HeldOut]) -> float:
    """Root of the mean squared logarithm of measured over predicted, over all cells held out."""
    return math.sqrt(float((np.concatenate([h.logs for h in held_out]) ** 2).mean()))


def drift(held_out: Sequence[HeldOut]) -> float:
    r"""How far off the growth of the cost was foretold, relative to it; 0 where none was.

    The error :math:`\ln(y/f)` of a cell goes with how far the prediction reaches, its growth g:
    :math:`\tau^2 = \sum \ln^2(y/f) / \sum g^2`. 0.1 is: of a cost that grows e-fold, 10 %.
    """
    reach = sum(float((h.growth**2).sum()) for h in held_out)
    return math.sqrt(sum(float((h.logs**2).sum()) for h in held_out) / reach) if reach else 0.0
