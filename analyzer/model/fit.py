"""One form fitted to one arm."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from analyzer.errors import FitError
from analyzer.model.cells import Floats, Samples, samples
from analyzer.model.nnls import nnls
from analyzer.model.terms import Form

if TYPE_CHECKING:
    import pandas as pd

_NO_ERROR = 1e-12
"""Mean deviance taken as none: below it the logarithm would choose by rounding."""
_NO_MISS = 1e-6
"""Relative error taken as none: below it forms differ by rounding."""
WORSE = 1.5
_ROUNDS = 100
_STILL = 1e-10
"""A step that changes no cost by more than this share is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A form with its coefficients, in ms, and the cells it was fitted to."""

    form: Form
    coefficients: tuple[float, ...]
    data: Samples = field(repr=False)
    parts: tuple[Fit, ...] = ()
    """Fits to parts of the cost that this one is the sum of; its terms are theirs, in order."""

    @property
    def n(self) -> int:
        """Number of cells."""
        return len(self.data)

    @property
    def max_clients(self) -> int:
        """The largest S measured."""
        return int(self.data.clients.max())

    def predict(self, clients: float, rows: float) -> float:
        """Write cost in ms at S = `clients` and R = `rows`."""
        return float(predict(self.form, np.array([self.coefficients]), clients, rows)[0])

    @property
    def predicted(self) -> Floats:
        """Predicted write cost of each cell, in ms."""
        return apply(design(self.form, self.data), np.array(self.coefficients))

    @property
    def relative(self) -> Floats:
        """Relative residual of each cell, (measured - predicted) / predicted."""
        relative: Floats = self.data.means / self.predicted - 1.0
        return relative

    @property
    def relative_rms(self) -> float:
        """Root of the mean squared relative residual: 0.1 is 10 %."""
        return math.sqrt(float((self.relative**2).mean()))

    def misses_more_than(self, other: Fit) -> bool:
        """Whether its error is `WORSE` times that of `other`: the cells contradict it."""
        return self.relative_rms > WORSE * max(other.relative_rms, _NO_MISS)

    @property
    def freedom(self) -> float:
        """Cells less fitted numbers, at least 1; of `parts`, on average."""
        return max(1.0, self.n - self.form.parameters / max(1, len(self.parts)))

    @property
    def aicc(self) -> float:
        r"""Akaike's criterion with the small-sample term, infinite below k + 2 cells.

        :math:`n \ln(D/n) + 2k + 2k(k+1)/(n-k-1)`, n cells, k fitted numbers, D the deviance
        (Hurvich and Tsai 1989; the size of the error is common to all forms and not counted in
        k). Cells, not repeats, are counted: what a form misses, it misses alike in every repeat.

        A sum of `parts` was not fitted to the cost itself, and has none either.
        """
        n, k = self.n, self.form.parameters
        if n < k + 2 or self.parts:
            return math.inf
        mean = max(deviance(self.data.means, self.predicted) / n, _NO_ERROR)
        return n * math.log(mean) + 2 * k + 2 * k * (k + 1) / (n - k - 1)

    @property
    def residuals(self) -> pd.DataFrame:
        """One row a cell: clients, rows, measured_ms, predicted_ms, relative."""
        import pandas as pd

        return pd.DataFrame(
            {
                "clients": self.data.clients.astype(int),
                "rows": self.data.rows.astype(int),
                "measured_ms": self.data.means,
                "predicted_ms": self.predicted,
                "relative": self.relative,
            }
        )


def predict(form: Form, coefficients: Floats, clients: Floats | float, rows: float) -> Floats:
    """Cost in ms for each row of `coefficients`, each at its own S when `clients` is an array."""
    s = np.broadcast_to(np.asarray(clients, dtype=np.float64), coefficients.shape[:1])
    costs: Floats = (form.design(s, np.full_like(s, rows)) * coefficients).sum(axis=1)
    return costs


def design(form: Form, data: Samples) -> Floats:
    """Design matrix of `form` over the cells of `data`."""
    return form.design(data.clients, data.rows)


def apply(matrix: Floats, coefficients: Floats) -> Floats:
    """Cost of each cell: the design matrix times the coefficients."""
    costs: Floats = matrix @ coefficients
    return costs


def deviance(measured: Floats, predicted: Floats) -> float:
    r"""Gamma deviance, :math:`2 \sum_i (y_i - f_i)/f_i - \ln(y_i/f_i)`.

    Near the sum of squared relative errors when these are small. Unlike errors relative to y, it
    is bounded on neither side: a form that predicts next to nothing is not let off with 100 %.
    """
    if (predicted <= 0).any():
        return math.inf
    times = measured / predicted
    return float(2 * (times - 1 - np.log(times)).sum())


def separable(matrix: Floats, measured: Floats) -> bool:
    """Whether these cells can tell the columns of a design apart (full column rank)."""
    relative = matrix / measured[:, None]
    norms = np.linalg.norm(relative, axis=0)
    if not norms.all():
        return False
    return bool(np.linalg.matrix_rank(relative / norms) == matrix.shape[1])


def fit_form(frame: pd.DataFrame, form: Form) -> Fit:
    r"""Fit `form` to the usable cells of one arm by non-negative weighted least squares.

    Costs span four decades and their noise grows with them, so errors are relative: minimises
    :math:`\sum_i ((y_i - f_i) / w_i)^2`, :math:`f_i = \sum_j c_j x_{ij}`, over :math:`c_j \ge 0`,
    where y_i is the mean write cost of cell i in ms and w_i the cost the fit itself predicts.
    Weighting by the measured y_i instead would favour what was measured too low, and so give
    ceilings that are too high (by 2 % at 10 % noise).

    Raises
    ------
    FitError
        When there are no usable cells, fewer than terms + 1, or they cannot separate the terms.

    References
    ----------
    McCullagh and Nelder, Generalized Linear Models (1989), chapter 8: the fixed point is the
    gamma regression with identity link.
    """
    return fit_samples(samples(frame), form)


def fit_samples(data: Samples, form: Form) -> Fit:
    """`fit_form` on cells already gathered."""
    need = form.parameters + 1
    if len(data) < need:
        raise FitError(f"the {form.name} form needs {need} cells, has {len(data)}")
    matrix, measured = design(form, data), data.means
    if not separable(matrix, measured):
        raise FitError(f"these {len(data)} cells cannot tell the {form.name} form's terms apart")
    return Fit(form, tuple(reweighted(matrix, measured).tolist()), data)


def reweighted(matrix: Floats, measured: Floats, start: Floats | None = None) -> Floats:
    """Iterate weighted NNLS to its fixed point; a step is halved until the deviance falls.

    `start` are coefficients to begin with, where ones near the answer are known.
    """
    found = _weighted(matrix, measured, measured) if start is None else start
    lowest = deviance(measured, apply(matrix, found))
    for _ in range(_ROUNDS):
        # The floor matters once, when the first fit gives a cell no cost at all.
        weights: Floats = np.maximum(apply(matrix, found), measured * 1e-3)
        step = _weighted(matrix, measured, weights) - found
        if (np.abs(apply(matrix, step)) <= _STILL * weights).all():
            return found
        for halving in range(20):
            tried = found + step * 0.5**halving
            now = deviance(measured, apply(matrix, tried))
            if now < lowest:
                break
        else:
            return found
        found, lowest = tried, now
    return found


def _weighted(matrix: Floats, measured: Floats, weights: Floats) -> Floats:
    found: Floats = nnls(matrix / weights[:, None], (measured / weights)[None, :])[0]
    return found
