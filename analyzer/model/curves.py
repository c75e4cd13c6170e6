"""Forms with a number inside their columns, fitted by least squares beside the linear ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analyzer.model.cells import Floats, Samples
from analyzer.model.fit import (
    Fit,
    apply,
    design,
    deviance,
    fit_samples,
    reweighted,
    separable,
)
from analyzer.model.terms import FIXED, Form, Term

Shape = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """A form for every `shape`: `start` is where the search begins, `bounds` where it stays.

    `many_rows` says whether it is for cells of several row counts, or of one. `rival` says that
    it describes without explaining: it is shown beside the others, and never chosen.
    """

    name: str
    many_rows: bool
    rival: bool
    start: Shape
    bounds: tuple[tuple[float, float], ...]
    form: Callable[[Shape], Form]


def _power(shape: Shape) -> Form:
    p, q = shape
    at_one = Term(
        "power", "us at one client and {row}", f"S^{p:.3g}*{{R}}^{q:.3g}", 1e3,
        lambda s, r: s**p * r**q,
    )  # fmt: skip
    return Form("power", (FIXED, at_one), shape)


def _power_of_clients(shape: Shape) -> Form:
    (p,) = shape
    at_one = Term("power", "us at one client", f"S^{p:.3g}", 1e3, lambda s, r: s**p)
    return Form("power", (FIXED, at_one), shape)


def _usl(shape: Shape) -> Form:
    (k,) = shape
    pairs = f"(S + {k:.3g}*S*(S-1))"
    client = Term("client", "us per client", pairs, 1e3, lambda s, r: s + k * s * (s - 1))
    client_row = Term(
        "client_row", "us per client and {row}", f"{{R}}*{pairs}", 1e3,
        lambda s, r: r * (s + k * s * (s - 1)),
    )  # fmt: skip
    return Form("usl", (FIXED, client, client_row), shape)


POWER = Curve("power", True, True, (1.2, 1.0), ((0.05, 4.0), (0.0, 3.0)), _power)
r"""a + b S^p R^q."""
POWER_OF_CLIENTS = Curve("power", False, True, (1.2,), ((0.05, 4.0),), _power_of_clients)
"""a + b S^p."""
USL = Curve("usl", True, False, (0.01,), ((0.0, 1.0),), _usl)
r"""a + (b + c R)(S + k S (S - 1)).

Gunther's universal scalability law read as time: N clients at throughput
:math:`X(N) = \lambda N / (1 + \sigma (N-1) + \kappa N (N-1))` take for a round
:math:`N/X(N) = (1-\sigma)/\lambda + (\sigma/\lambda) N + (\kappa/\lambda) N (N-1)`,
with :math:`k = \kappa/\sigma` (Gunther, Guerrilla Capacity Planning, 2007, chapter 4).
"""
CURVES = (POWER, POWER_OF_CLIENTS, USL)


def fit_curve(data: Samples, curve: Curve) -> Fit:
    """Fit `curve` by relative errors: its shape by search, the rest by weighted NNLS inside.

    Separating the two leaves a search in one or two numbers (Golub and Pereyra 1973, SIAM J.
    Numer. Anal. 10, 413-432).

    Raises
    ------
    FitError
        When these cells cannot tell its terms apart, or are too few.
    """

    measured = data.means
    found = np.array(fit_samples(data, curve.form(curve.start)).coefficients)

    def error(shape: Shape) -> float:
        nonlocal found
        matrix = design(curve.form(shape), data)
        if not separable(matrix, measured):
            return math.inf
        # The coefficients of the last shape tried are near those of this one.
        found = reweighted(matrix, measured, found)
        return deviance(measured, apply(matrix, found))

    return fit_samples(data, curve.form(best_shape(curve, error)))


def best_shape(curve: Curve, error: Callable[[Shape], float]) -> Shape:
    """Where `error` is least, by the simplex search of Nelder and Mead (1965)."""
    from scipy.optimize import minimize

    def at(x: Floats) -> float:
        return error(tuple(x.tolist()))

    found = minimize(
        at,
        np.array(curve.start),
        method="Nelder-Mead",
        bounds=curve.bounds,
        options={"xatol": 1e-6, "fatol": 1e-9, "maxiter": 400},
    )
    return tuple(float(x) for x in found.x)
