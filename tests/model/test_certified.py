"""Certified problems of NIST, and the same problems solved in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from analyzer.model.curves import Curve, best_shape
from analyzer.model.exact import solve
from analyzer.model.lsq import least_squares
from analyzer.model.nnls import nnls
from analyzer.model.terms import Form, Term
from tests.model.strd import LINEAR, SHAPED, Linear


def digits(found: float, certified: float) -> float:
    """Decimal digits in which two numbers agree, 15 at most."""
    if found == certified:
        return 15.0
    error = abs(found - certified) / abs(certified) if certified else abs(found)
    return min(15.0, -math.log10(error))


def matrix(problem: Linear) -> np.ndarray:
    return np.array([[float(x) ** p for p in problem.powers] for x in problem.x])


def exact_solution(problem: Linear, weights: list[Fraction]) -> list[float]:
    """The normal equations in fractions: no rounding until the end."""
    rows = [
        [Fraction(x) ** p / w for p in problem.powers]
        for x, w in zip(problem.x, weights, strict=True)
    ]
    target = [Fraction(y) / w for y, w in zip(problem.y, weights, strict=True)]
    columns = list(zip(*rows, strict=True))
    normal = [[sum(map(Fraction.__mul__, a, b), Fraction(0)) for b in columns] for a in columns]
    right = [sum(map(Fraction.__mul__, a, target), Fraction(0)) for a in columns]
    solved = solve(normal, right)
    assert solved is not None
    return [float(value) for value in solved]


@pytest.mark.parametrize("name", LINEAR)
def test_the_typed_in_problems_are_the_certified_ones(name: str) -> None:
    problem = LINEAR[name]
    found = exact_solution(problem, [Fraction(1)] * len(problem.y))
    agreed = [digits(a, b) for a, b in zip(found, problem.coefficients, strict=True)]
    assert min(agreed) >= 13, f"{name}: {min(agreed):.1f} digits"


@pytest.mark.parametrize(
    ("name", "least"),
    [("Norris", 11), ("Pontius", 11), ("NoInt1", 13), ("Wampler2", 11), ("Wampler4", 7)],
)
def test_least_squares_reach_the_certified_coefficients_and_errors(name: str, least: int) -> None:
    problem = LINEAR[name]
    y = np.array(problem.y, dtype=float)
    found = least_squares(matrix(problem), y, np.ones_like(y))
    agreed = [
        digits(a, b)
        for ours, theirs in (
            (found.coefficients, problem.coefficients),
            (found.errors, problem.errors),
        )
        for a, b in zip(ours, theirs, strict=True)
    ]
    assert min(agreed) >= least, f"{name}: {min(agreed):.1f} digits of agreement"


@pytest.mark.parametrize("name", ["Norris", "Pontius"])
def test_the_weighted_fit_agrees_with_fractions(name: str) -> None:
    problem = LINEAR[name]
    y = np.array(problem.y, dtype=float)
    found = least_squares(matrix(problem), y, y)
    exact = exact_solution(problem, [Fraction(value) for value in problem.y])
    agreed = [digits(a, b) for a, b in zip(found.coefficients, exact, strict=True)]
    assert min(agreed) >= 11, f"{name}: {min(agreed):.1f} digits of agreement"


def test_the_bounded_fit_agrees_where_no_bound_is_met() -> None:
    problem = LINEAR["NoInt1"]
    found = nnls(matrix(problem), np.array([problem.y], dtype=float))[0, 0]
    assert digits(found, problem.coefficients[0]) >= 13


@pytest.mark.parametrize("name", SHAPED)
def test_the_shape_search_reaches_the_certified_parameters(name: str) -> None:
    problem = SHAPED[name]
    x, y = np.array(problem.x), np.array(problem.y)

    def form(shape: tuple[float, ...]) -> Form:
        column = Term("b", "", "", 1.0, lambda s, r: problem.curve(s, shape[0]))
        return Form(name, (column,), shape)

    def squares(shape: tuple[float, ...]) -> float:
        columns = form(shape).design(x, x)
        return float(((y - columns @ nnls(columns, y[None, :])[0]) ** 2).sum())

    shape = best_shape(Curve(name, False, False, (problem.start,), ((0.0, 10.0),), form), squares)
    columns = form(shape).design(x, x)
    b = float(nnls(columns, y[None, :])[0, 0])
    agreed = [
        digits(b, problem.b),
        digits(shape[0], problem.shape),
        digits(squares(shape), problem.squares),
    ]
    assert min(agreed) >= 5, f"{name}: {min(agreed):.1f} digits of agreement"
