"""Non-negative least squares for one small design and many targets at once."""

from __future__ import annotations

from itertools import product

import numpy as np

from analyzer.model.cells import Floats

_REAL_GAIN = 1e-14
"""A larger active set must lower the squared error by this share, or rounding would choose it."""


def nnls(design: Floats, targets: Floats) -> Floats:
    r"""Solve :math:`\min_{c \ge 0} \lVert A c - y \rVert_2` for each row `y` of `targets`.

    With k columns there are 2**k sets of non-zero coefficients, and the answer is the best
    feasible least-squares solution among them. For k <= 5 trying all of them, each for every
    target in one matrix product, is far faster than one active-set search per target. Where the
    solution without bounds is feasible it is the answer, and nothing else is tried.

    Parameters
    ----------
    design
        A, shape (m, k), of full column rank.
    targets
        Shape (n, m).

    Returns
    -------
    Coefficients, shape (n, k).

    References
    ----------
    Lawson and Hanson, Solving Least Squares Problems (1974), chapter 23.
    """
    scale = np.linalg.norm(design, axis=0)
    q, r = np.linalg.qr(design / scale)
    # What lies outside the column space is the same for every set: leave it out of the errors.
    inside = targets @ q
    total = (inside**2).sum(axis=1)
    coefficients = inside @ np.linalg.inv(r).T
    bound = (coefficients <= np.sqrt(_REAL_GAIN * total)[:, None]).any(axis=1)
    if bound.any():
        coefficients[bound] = _best_subset(r, inside[bound], total[bound])
    found: Floats = coefficients / scale
    return found


def _best_subset(r: Floats, inside: Floats, total: Floats) -> Floats:
    """Try every set of columns of the triangle `r`; of those as good as the best, the smallest."""
    every = sorted(product((False, True), repeat=len(r)), key=sum)
    active = np.array(every)[:, None, :]
    # A column that is left out is zero here, and so is its row of the pseudo-inverse.
    parts = r * active
    solutions = np.where(active, inside @ np.linalg.pinv(parts).transpose(0, 2, 1), 0.0)
    errors = ((inside - solutions @ parts.transpose(0, 2, 1)) ** 2).sum(axis=2)
    errors[(solutions < 0).any(axis=2)] = np.inf
    good = errors <= errors.min(axis=0) + _REAL_GAIN * total
    best: Floats = solutions[good.argmax(axis=0), np.arange(len(inside))]
    return best
