"""Ceilings: rounded down, never without their reach."""

from __future__ import annotations

import pytest

from analyzer.model.budget import Budget
from analyzer.model.ceiling import Ceiling, Status, ceiling
from analyzer.model.model import fit_arm
from analyzer.model.terms import FORMS
from tests.model.frames import Rule, bilinear, frame


def ask(
    cost: Rule = bilinear,
    form: str = "bilinear",
    *,
    rows: int = 64,
    budget: Budget | str | float = 50.0,
    extrapolate: bool = False,
    noise: float = 0.0,
    repeats: int = 3,
) -> Ceiling:
    planted = frame(cost, noise=noise, repeats=repeats).assign(view_calls=float("nan"))
    model = fit_arm(planted, forms=[FORMS[form]])
    return ceiling(model, budget, rows=rows, extrapolate=extrapolate)


def test_a_ceiling_is_rounded_down() -> None:
    # (50 - 0.025) / (0.03 + 0.008 * 64) = 92.2
    found = ask()
    assert (found.status, found.clients) == (Status.FINITE, 92)
    assert (found.low, found.high, found.at_least) == (92, 92, 92)
    assert found.extrapolation == pytest.approx(0.92)
    assert found.model == "bilinear"


def test_one_client_more_would_be_above_the_budget() -> None:
    for rows in (8, 64, 256, 1000):
        found = ask(rows=rows, extrapolate=True)
        assert found.clients is not None
        assert bilinear(found.clients, rows) <= 50 < bilinear(found.clients + 1, rows)


def test_an_interval_holds_the_ceiling_and_is_of_whole_clients() -> None:
    found = ask(noise=0.1)
    assert found.low is not None
    assert found.high is not None
    assert found.clients is not None
    assert found.low < found.clients < found.high
    assert found.at_least == found.low


def test_no_interval_comes_from_one_repeat() -> None:
    found = ask(repeats=1)
    assert (found.clients, found.low, found.high) == (92, None, None)
    assert "no interval: one repeat" in found.note


def test_a_flat_arm_has_no_finite_limit_and_says_how_far_it_was_tested() -> None:
    found = ask(lambda s, g: 0.04, "constant")
    assert (found.status, found.clients, found.high) == (Status.UNLIMITED, None, None)
    assert found.note == "no finite limit in these data, tested up to S = 100"
    assert found.at_least == 100
    assert found.extrapolation is None


def test_a_write_above_the_budget_by_itself_leaves_no_client_and_says_why() -> None:
    found = ask(lambda s, g: 60.0 + s, "linear")
    assert found.clients == 0
    assert found.note == "the write alone costs 60.0 ms, above the budget of 50.0 ms"


def test_one_client_above_the_budget_leaves_none_and_says_why() -> None:
    found = ask(lambda s, g: 0.02 + 0.08 * g * (s > 0), "rows", rows=1000)
    assert (found.status, found.clients) == (Status.FINITE, 0)
    assert found.note == "one client makes it 80.0 ms, above the budget of 50.0 ms"


def test_beyond_three_times_the_measured_clients_it_is_refused() -> None:
    found = ask(rows=8)
    assert (found.status, found.clients, found.low, found.high) == (
        Status.REFUSED,
        None,
        300,
        None,
    )
    assert found.note.startswith("more than 300 clients would be beyond 3x the measured S = 100")
    assert "measure more clients" in found.note


def test_extrapolating_on_purpose_gives_the_number_with_its_warning() -> None:
    found = ask(rows=8, extrapolate=True)
    # (50 - 0.025) / (0.03 + 0.008 * 8) = 531.6
    assert (found.status, found.clients) == (Status.FINITE, 531)
    assert found.extrapolation == pytest.approx(5.31)
    assert found.note == "beyond 3x the measured S = 100, unsupported"


def test_a_lower_budget_never_allows_more_clients() -> None:
    found = [ask(budget=budget).clients for budget in (0.01, 0.1, 1, 10, 50, 100)]
    assert found == sorted(found, key=lambda clients: clients or 0)
