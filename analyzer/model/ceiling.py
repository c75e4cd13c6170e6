"""How many clients a lock budget allows, and how far that number can be trusted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analyzer.model.bootstrap import interval
from analyzer.model.budget import Budget, as_budget
from analyzer.model.cells import Floats
from analyzer.model.fit import Fit, predict
from analyzer.model.model import Model
from analyzer.model.queue import knee, mean_wait_ms
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
class Load:
    """What the lock is like at the ceiling, and where its knee is (see `queue.py`)."""

    writes_per_second: float
    utilization: float
    wait_ms: float
    """Mean wait for the lock, M/D/1."""
    knee: float
    """Utilization at the knee."""
    knee_clients: int | None
    """The most clients up to the knee; None beyond what these data carry."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The largest whole S whose predicted write cost is within the budget, rounded down.

    `clients` is None when there is no finite limit in these data, or when the model points
    further than the data can carry (`status` says which). `low` and `high` are the 95 % interval,
    None where there is none; `extrapolation` is ceiling / largest measured S. `others` are the
    answers of the other forms these cells support, the runner-up first, None where that is beyond
    what the data carry.
    """

    rows: int
    budget_ms: float
    """Lock time a write may take: at the ceiling, when the rate of writes grows with S."""
    status: Status
    clients: int | None
    low: int | None
    high: int | None
    at_least: int
    """Clients that can be counted on: the low end, or as far as the data carry."""
    model: str
    extrapolation: float | None
    others: dict[str, int | None]
    load: Load | None
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data; unknown is None."""
        return asdict(self)

    def __str__(self) -> str:
        """One line: the answer, its interval, its reach, the runner-up's answer and the note."""
        from analyzer.report.ceilings import sentence

        return sentence(self)


def ceiling(
    model: Model,
    budget: Budget | str | float,
    *,
    rows: int | None = None,
    extrapolate: bool = False,
) -> Ceiling:
    r"""Find the largest whole S with predict(S, `rows`) within `budget`.

    Costs never fall with S (every coefficient is at or above 0) and what a write may take never
    rises with it, so the answer is found by bisection over whole numbers, for the fit and for
    every refit of the bootstrap. With a rate per client w and a utilization U it is the root of
    :math:`w S (a + b S + \ldots) = 1000\,U`, rounded down.

    Parameters
    ----------
    model
        What `fit` returns.
    budget
        `"50ms"` or a number of ms per write, or a `Budget`.
    rows
        R; may be left out when the cells have one row count only.
    extrapolate
        Give an answer further than three times beyond the largest S measured, or beyond a bend.

    Raises
    ------
    FitError
        When `rows` is needed or not between the measured ones.
    UsageError
        When `budget` is no budget.
    """
    budget, fit = as_budget(budget), model.choice.best
    rows = model.rows_within(rows)
    point, low, high = _answers(model, rows, budget)
    bend = model.choice.bends.get(rows)
    reach = fit.max_clients if bend or math.isinf(point) else REACH * fit.max_clients
    at_least = int(min(low, reach))
    status, words = _judge(fit, point, rows, budget, reach)
    if status is Status.REFUSED and extrapolate:
        status, words = Status.FINITE, f"beyond {_limit(fit, bend)}, unsupported"
    elif status is Status.REFUSED:
        words = (
            f"more than {reach:.0f} clients would be beyond {_limit(fit, bend)}: "
            "measure more clients"
        )
    finite = status is Status.FINITE
    has_interval = model.boot.coefficients is not None
    carried = math.inf if extrapolate else reach
    return Ceiling(
        rows=rows,
        budget_ms=float(budget.allowed_ms(np.array(max(point, 1.0) if finite else 1.0 * at_least))),
        status=status,
        clients=int(point) if finite else None,
        low=at_least if status is Status.REFUSED else _whole(low) if has_interval else None,
        high=_whole(high) if finite and has_interval else None,
        at_least=at_least,
        model=fit.form.name,
        extrapolation=point / fit.max_clients if finite else None,
        others={
            other.form.name: _within(_largest(other, rows, budget), carried)
            for other in model.choice.supported[1:]
        },
        load=_load(fit, int(point), rows, budget, carried) if finite else None,
        note="; ".join(filter(None, (words, model.boot.reason))),
    )


def _answers(model: Model, rows: int, budget: Budget) -> tuple[float, float, float]:
    fit, refits = model.choice.best, model.boot.coefficients
    point = _largest(fit, rows, budget)
    if refits is None:
        return point, point, point
    return point, *interval(largest_clients(model.drawn(rows), len(refits), budget))


def _judge(fit: Fit, point: float, rows: int, budget: Budget, reach: float) -> tuple[Status, str]:
    """Say what kind of answer `point` is, in words where it is not a plain number."""
    if math.isinf(point):
        return Status.UNLIMITED, (
            f"no finite limit in these data, tested up to S = {fit.max_clients}"
        )
    if point > reach:
        return Status.REFUSED, ""
    if point >= 1:
        return Status.FINITE, ""
    alone, one = fit.predict(0, rows), fit.predict(1, rows)
    allowed = float(budget.allowed_ms(np.array(1.0)))
    who, cost = "one client makes it", one
    if alone > allowed:
        who, cost = "the write alone costs", alone
    return Status.FINITE, f"{who} {text_ms(cost)}, above the budget of {text_ms(allowed)}"


def _limit(fit: Fit, bend: float | None) -> str:
    if bend:
        return f"the measured S = {fit.max_clients}, where the cost bends"
    return f"{REACH:g}x the measured S = {fit.max_clients}"


def _load(fit: Fit, clients: int, rows: int, budget: Budget, carried: float) -> Load | None:
    rate = budget.writes_per_second(clients)
    if rate is None:
        return None
    hold = fit.predict(clients, rows)
    used = rate * hold / 1e3
    at_knee = Budget(utilization=knee(), per_second=budget.per_second, per_client=budget.per_client)
    within = _within(_largest(fit, rows, at_knee), carried)
    return Load(rate, used, mean_wait_ms(used, hold), knee(), within)


def _largest(fit: Fit, rows: int, budget: Budget) -> float:
    coefficients = np.array([fit.coefficients])
    return float(largest_clients(lambda s: predict(fit.form, coefficients, s, rows), 1, budget)[0])


def largest_clients(costs: Callable[[Floats], Floats], draws: int, budget: Budget) -> Floats:
    """Largest whole S within the budget in each of so many `draws`; inf where there is none.

    `costs` takes one S a draw and gives its cost in ms, which must not fall with S. 0 where even
    a single client, or none, is above the budget.
    """

    def within(clients: Floats) -> NDArray[np.bool_]:
        return costs(clients) <= budget.allowed_ms(clients)

    inside = np.zeros(draws)
    outside = np.full(draws, _NO_LIMIT)
    endless = within(outside)
    while (outside - inside > 1).any():
        middle = np.floor((inside + outside) / 2)
        fits = within(middle)
        inside = np.where(fits, middle, inside)
        outside = np.where(fits, outside, middle)
    return np.where(endless, np.inf, inside)


def _within(clients: float, carried: float) -> int | None:
    return _whole(clients) if clients <= carried else None


def _whole(value: float) -> int | None:
    return None if math.isinf(value) else int(value)
