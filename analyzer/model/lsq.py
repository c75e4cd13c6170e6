"""Weighted least squares without bounds: what the cells would say if a cost could be negative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analyzer.model.cells import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Coefficients and their standard errors, one of each a column; `freedom` = cells - columns."""

    coefficients: Floats
    errors: Floats
    freedom: int


def least_squares(matrix: Floats, measured: Floats, weights: Floats) -> Solution:
    r"""Minimise :math:`\sum_i ((y_i - \sum_j c_j x_{ij}) / w_i)^2` over any real c.

    Standard errors are the roots of the diagonal of :math:`s^2 (X^T X)^{-1}` with X the weighted
    matrix and s^2 the weighted squared error over the degrees of freedom; without any they are
    infinite. `matrix` has shape (m, k) and full column rank, `weights` are in the unit of
    `measured`.

    References
    ----------
    Golub and Van Loan, Matrix Computations (2013), section 5.3: QR, columns scaled to length 1,
    and one step of iterative refinement.
    """
    rows = matrix / weights[:, None]
    scale = np.linalg.norm(rows, axis=0)
    rows, target = rows / scale, measured / weights
    q, r = np.linalg.qr(rows)
    found = np.linalg.solve(r, q.T @ target)
    found = found + np.linalg.solve(r, q.T @ (target - rows @ found))
    freedom = len(measured) - matrix.shape[1]
    errors = np.full(len(found), np.inf)
    if freedom > 0:
        variance = float(((target - rows @ found) ** 2).sum()) / freedom
        errors = np.sqrt(variance * (np.linalg.inv(r) ** 2).sum(axis=1))
    return Solution(found / scale, errors / scale, freedom)
