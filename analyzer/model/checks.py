"""What cells cannot carry, in words: before a number is printed that nobody should believe."""

from __future__ import annotations

import numpy as np

from analyzer.errors import FitError
from analyzer.model.axis import RowAxis
from analyzer.model.cells import Samples
from analyzer.model.fit import Fit, design
from analyzer.model.lsq import least_squares
from analyzer.model.terms import FIXED, Form

CLIFF = 3.0
"""Times more than a cost can grow. Noise of 1.6 times in each of two cells makes 2.6."""
CONDITION = 30.0
"""Belsley, Kuh and Welsch (1980): from here on an error of 1 % in a cost can move a coefficient
by 30 %."""
_SURE = 0.975
"""One side of a 95 % interval."""


def refuse_cells(data: Samples, axis: RowAxis, advice: str) -> None:
    """Refuse cells from which no cost per client follows, whatever the form.

    `advice` says how there can be more of them.

    Raises
    ------
    FitError
        Fewer than two client counts above 0, fewer than four cells, or a cliff.
    """
    counts = np.unique(data.clients[data.clients > 0])
    if len(counts) < 2:
        have = f"{len(counts)} (S = {counts[0]:.0f})" if len(counts) else "0"
        raise FitError(f"a cost per client needs 2 client counts above 0, has {have}: {advice}")
    if len(data) < 4:
        raise FitError(f"a cost per client needs 4 cells, has {len(data)}: {advice}")
    _refuse_cliff(data, axis)


def _refuse_cliff(data: Samples, axis: RowAxis) -> None:
    """Between neighbours a cost grows at most with the square of S, and of R."""
    found = zip(data.clients, data.rows, data.means, strict=True)
    cells = sorted(cell for cell in found if cell[0] > 0 and cell[1] > 0)
    for along, across in ((0, 1), (1, 0)):
        for low in cells:
            beyond = [c for c in cells if c[across] == low[across] and c[along] > low[along]]
            high = min(beyond, key=lambda cell: cell[along], default=low)
            if high[2] > CLIFF * (high[along] / low[along]) ** 2 * low[2]:
                ends = " and ".join(
                    f"{ms:.3g} ms at S={s:.0f} {axis.symbol}={r:.0f}" for s, r, ms in (low, high)
                )
                raise FitError(
                    f"a cliff between {ends}: no form here grows so fast; measure between them, "
                    "or only up to the lower one"
                )


def why_left_out(form: Form, data: Samples, axis: RowAxis) -> str:
    """Say why these cells cannot carry `form` and what to measure; nothing when they can."""
    need = form.parameters + 2
    if condition(form, data) > CONDITION:
        return _why_alike(form, data, axis)
    if len(data) < need:
        return f"it needs {need} cells, has {len(data)}"
    return ""


def condition(form: Form, data: Samples) -> float:
    """Condition number of the columns relative to the cost, each scaled to length 1.

    1 is best: the terms have nothing in common. Infinite when they cannot be told apart at all.
    """
    matrix = design(form, data) / data.means[:, None]
    norms = np.linalg.norm(matrix, axis=0)
    if not norms.all() or len(matrix) < matrix.shape[1]:
        return float("inf")
    return float(np.linalg.cond(matrix / norms))


def _why_alike(form: Form, data: Samples, axis: RowAxis) -> str:
    rows, counts = np.unique(data.rows), np.unique(data.clients)
    uses_rows = any("{R}" in term.symbol or axis.symbol in term.symbol for term in form.terms)
    if len(rows) < 2 and uses_rows:
        return (
            f"one number of {axis.noun}s only ({rows[0]:.0f}) cannot tell its terms apart; "
            f"add one to --{axis.flag}"
        )
    where = f"{len(counts)} client counts up to {counts[-1]:.0f} and {len(rows)} of {axis.noun}s"
    return (
        f"{where} cannot tell its terms apart; add to --clients, "
        f"say {max(counts[-1] // 4, 1):.0f} and {4 * counts[-1]:.0f}"
    )


def negative_fixed(fit: Fit) -> str:
    """Say so when, without its bound, the fixed cost would be below 0 beyond its error.

    The form then bends the wrong way between the fewest clients measured and none.
    """
    if fit.form.terms[0] is not FIXED or fit.coefficients[0] > 0:
        return ""
    found = least_squares(design(fit.form, fit.data), fit.data.means, fit.predicted)
    fixed, error = float(found.coefficients[0]), float(found.errors[0]) * _student(found.freedom)
    if fixed + error >= 0:
        return ""
    return (
        f"without its bound the fixed cost would be {fixed:.3g} +- {error:.2g} ms, and a cost "
        "cannot be negative; add 0 or fewer clients to --clients"
    )


def at_bound(fit: Fit, axis: RowAxis) -> list[str]:
    """Coefficients that are exactly 0: the bound, not a measurement."""
    return [
        f"the cost in {term.unit_for(axis)} is at its bound, 0: read it as not resolved"
        for term, value in zip(fit.form.terms, fit.coefficients, strict=True)
        if value == 0.0
    ]


def _student(freedom: int) -> float:
    """Student's t that leaves 2.5 % above it."""
    if freedom < 1:
        return float("inf")
    from scipy.special import stdtrit

    return float(stdtrit(freedom, _SURE))
