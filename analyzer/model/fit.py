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
"""Mean squared relative error taken as none: below it the logarithm would choose by rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A form with its coefficients, in ms, and the cells it was fitted to."""

    form: Form
    coefficients: tuple[float, ...]
    data: Samples = field(repr=False)

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
    def relative(self) -> Floats:
        """Relative residual of each cell, (measured - predicted) / measured."""
        predicted = self.form.design(self.data.clients, self.data.rows) @ self.coefficients
        return 1.0 - predicted / self.data.means

    @property
    def relative_rms(self) -> float:
        """Root of the mean squared relative residual: 0.1 is 10 %."""
        return math.sqrt(float((self.relative**2).mean()))

    @property
    def aicc(self) -> float:
        r"""Akaike's criterion with the small-sample term, infinite without degrees of freedom.

        :math:`n \ln(RSS/n) + 2k + 2k(k+1)/(n-k-1)`, n cells, RSS over relative residuals,
        k = terms + 1 for the size of the error (Hurvich and Tsai 1989). Cells, not repeats, are
        counted: what a form misses, it misses alike in every repeat.
        """
        n, k = self.n, len(self.form.terms) + 1
        if n < k + 2:
            return math.inf
        mean_square = max(float((self.relative**2).mean()), _NO_ERROR)
        return n * math.log(mean_square) + 2 * k + 2 * k * (k + 1) / (n - k - 1)

    @property
    def residuals(self) -> pd.DataFrame:
        """One row a cell: clients, rows, measured_ms, predicted_ms, relative."""
        import pandas as pd

        measured = self.data.means
        return pd.DataFrame(
            {
                "clients": self.data.clients.astype(int),
                "rows": self.data.rows.astype(int),
                "measured_ms": measured,
                "predicted_ms": measured * (1.0 - self.relative),
                "relative": self.relative,
            }
        )


def predict(form: Form, coefficients: Floats, clients: Floats | float, rows: float) -> Floats:
    """Cost in ms for each row of `coefficients`, each at its own S when `clients` is an array."""
    s = np.broadcast_to(np.asarray(clients, dtype=np.float64), coefficients.shape[:1])
    return (form.design(s, np.full_like(s, rows)) * coefficients).sum(axis=1)


def relative_design(form: Form, data: Samples) -> Floats:
    """Design matrix in units of each cell's own mean, so that every cell counts alike."""
    return form.design(data.clients, data.rows) / data.means[:, None]


def separable(form: Form, data: Samples) -> bool:
    """Whether these cells can tell the terms of `form` apart (full column rank)."""
    design = relative_design(form, data)
    norms = np.linalg.norm(design, axis=0)
    if not norms.all():
        return False
    return int(np.linalg.matrix_rank(design / norms)) == len(form.terms)


def fit_form(frame: pd.DataFrame, form: Form) -> Fit:
    r"""Fit `form` to the usable cells of one arm by non-negative weighted least squares.

    Minimises :math:`\sum_i ((y_i - \sum_j c_j x_{ij}) / y_i)^2` over :math:`c_j \ge 0`, where
    y_i is the mean write cost of cell i in ms: costs span four decades, and noise grows with
    them, so errors are relative.

    Raises
    ------
    FitError
        When there are no usable cells, fewer than terms + 1, or they cannot separate the terms.
    """
    return fit_samples(samples(frame), form)


def fit_samples(data: Samples, form: Form) -> Fit:
    """`fit_form` on cells already gathered."""
    need = len(form.terms) + 1
    if len(data) < need:
        raise FitError(f"the {form.name} form needs {need} cells, has {len(data)}")
    if not separable(form, data):
        raise FitError(f"these {len(data)} cells cannot tell the {form.name} form's terms apart")
    found = nnls(relative_design(form, data), np.ones((1, len(data))))
    return Fit(form, tuple(found[0].tolist()), data)
