"""How many clients a lock budget allows, and how far that number can be trusted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from analyzer.model.bootstrap import Bootstrap, interval
from analyzer.model.cells import Floats
from analyzer.model.fit import Fit, predict
from analyzer.model.terms import Form
from analyzer.units import text_ms

REACH = 3.0
"""A prediction this many times beyond the largest measured S is not given unless asked for."""

_NO_LIMIT = 1e9
"""Clients; a cost still within the budget here does not depend on S in these data."""


class Status(StrEnum):
    """What kind of answer a ceiling is."""

    FINITE = "finite"
    UNLIMITED = "unlimited"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The largest whole S whose predicted write cost is within the budget, rounded down.

    `clients` is None when there is no finite limit in these data, or when the model points
    further than the data can carry (`status` says which). `low` and `high` are the 95 % interval,
    None where there is none; `extrapolation` is ceiling / largest measured S.
    """

    rows: int
    budget_ms: float
    status: Status
    clients: int | None
    low: int | None
    high: int | None
    at_least: int
    """Clients that can be counted on: the low end, or as far as the data carry."""
    model: str
    extrapolation: float | None
    note: str


def ceiling(
    fit: Fit,
    boot: Bootstrap,
    *,
    rows: int,
    budget_ms: float,
    extrapolate: bool = False,
) -> Ceiling:
    """Find the largest whole S with predict(S, `rows`) <= `budget_ms`.

    Costs never fall with S (every coefficient is at or above 0), so the answer is found by
    bisection over whole numbers, for the fit and for every refit of the bootstrap. The largest
    measured S is the fit's own.
    """
    point = float(largest_clients(fit.form, np.array([fit.coefficients]), rows, budget_ms)[0])
    low, high = point, point
    if boot.coefficients is not None:
        low, high = interval(largest_clients(fit.form, boot.coefficients, rows, budget_ms))
    reach = fit.max_clients if math.isinf(point) else REACH * fit.max_clients
    at_least = int(min(low, reach))
    status, words = _judge(fit, point, rows, budget_ms, None if extrapolate else at_least)
    has_interval = boot.coefficients is not None
    return Ceiling(
        rows=rows,
        budget_ms=budget_ms,
        status=status,
        clients=int(point) if status is Status.FINITE else None,
        low=at_least if status is Status.REFUSED else _whole(low) if has_interval else None,
        high=_whole(high) if status is Status.FINITE and has_interval else None,
        at_least=at_least,
        model=fit.form.name,
        extrapolation=point / fit.max_clients if status is Status.FINITE else None,
        note="; ".join(filter(None, (words, boot.reason))),
    )


def _judge(
    fit: Fit, point: float, rows: int, budget_ms: float, at_least: int | None
) -> tuple[Status, str]:
    """Say what kind of answer `point` is; `at_least` is None when the user asked to go beyond."""
    measured = fit.max_clients
    if math.isinf(point):
        return Status.UNLIMITED, f"no finite limit in these data, tested up to S = {measured}"
    beyond = f"beyond {REACH:g}x the measured S = {measured}, unsupported"
    if point > REACH * measured and at_least is not None:
        words = f"at least {at_least} clients; more would be {beyond}: measure more clients"
        return Status.REFUSED, words
    if point > REACH * measured:
        return Status.FINITE, beyond
    if point >= 1:
        return Status.FINITE, ""
    alone, one = fit.predict(0, rows), fit.predict(1, rows)
    who, cost = (
        ("the write alone costs", alone) if alone > budget_ms else ("one client makes it", one)
    )
    return Status.FINITE, f"{who} {text_ms(cost)}, above the budget of {text_ms(budget_ms)}"


def largest_clients(form: Form, coefficients: Floats, rows: int, budget_ms: float) -> Floats:
    """Largest whole S within the budget for each row of `coefficients`; inf when none is.

    Returns 0 where even a single client, or none, is above the budget.
    """
    inside = np.zeros(len(coefficients))
    outside = np.full(len(coefficients), _NO_LIMIT)
    endless = predict(form, coefficients, outside, rows) <= budget_ms
    while (outside - inside > 1).any():
        middle = np.floor((inside + outside) / 2)
        within = predict(form, coefficients, middle, rows) <= budget_ms
        inside = np.where(within, middle, inside)
        outside = np.where(within, outside, middle)
    return np.where(endless, np.inf, inside)


def _whole(value: float) -> int | None:
    return None if math.isinf(value) else int(value)
