"""Which form is chosen, what is left out, and what is refused."""

from __future__ import annotations

import pytest

from analyzer.errors import FitError
from analyzer.model.select import choose
from analyzer.model.terms import CLIENT, FIXED, FORMS, Form, Term
from tests.model.frames import Rule, bilinear, frame, reference

COSTS: dict[str, Rule] = {
    "constant": lambda s, g: 0.04,
    "linear": lambda s, g: 0.03 + 0.0004 * s,
    "rows": lambda s, g: 0.02 + 0.01 * g * (s > 0),
    "linear+rows": lambda s, g: 0.02 + 0.02 * s + 0.01 * g * (s > 0),
    "bilinear": bilinear,
    "square": lambda s, g: 0.02 + 0.03 * s + 0.002 * s * s,
    "quadratic": lambda s, g: bilinear(s, g) + 4e-4 * s * s + 2e-4 * s * s * g,
}


@pytest.mark.parametrize("name", FORMS)
def test_the_form_that_was_planted_is_chosen_under_five_percent_noise(name: str) -> None:
    chosen = [choose(frame(COSTS[name], noise=0.05, seed=s)).best.form.name for s in range(10)]
    assert chosen.count(name) >= 7, chosen


def test_the_runner_up_is_another_form() -> None:
    choice = choose(frame(noise=0.05))
    assert choice.runner_up is not None
    assert choice.best.form.name == "bilinear"
    assert choice.runner_up.aicc > choice.best.aicc


def test_one_number_of_rooms_falls_back_to_the_forms_it_can_carry_and_says_so() -> None:
    choice = choose(frame(rows=(64,)))
    assert choice.best.form.name == "linear"
    assert "bilinear is left out: one number of rooms only (64)" in " ".join(choice.notes)
    assert "--rooms" in " ".join(choice.notes)


def test_three_cells_are_too_few_and_the_flag_to_add_to_is_named() -> None:
    with pytest.raises(FitError, match="needs 4 cells, has 3: add one to --clients"):
        choose(frame(clients=(0, 10, 50), rows=(8,)))


@pytest.mark.parametrize("clients", [(0, 50), (50,)])
def test_one_client_count_cannot_carry_a_cost_per_client(clients: tuple[int, ...]) -> None:
    with pytest.raises(FitError, match=r"needs 2 client counts above 0, has 1 \(S = 50\)"):
        choose(frame(clients=clients))


def test_a_baseline_alone_cannot_either() -> None:
    with pytest.raises(FitError, match="has 0: add one to --clients"):
        choose(frame(clients=(0,)))


def test_a_form_that_lacks_cells_is_left_out_with_both_numbers() -> None:
    choice = choose(frame(clients=(10, 50), rows=(8, 64)))
    assert "bilinear is left out: it needs 5 cells, has 4" in choice.notes


def test_a_coefficient_at_its_bound_is_not_taken_as_known() -> None:
    choice = choose(frame(lambda s, g: 0.01 * s * g, clients=(10, 50, 100)))
    assert choice.best.coefficients[:2] == (0.0, 0.0)
    assert "the cost in us per client is at its bound, 0: read it as not resolved" in choice.notes


def test_six_cells_from_20_us_to_200_ms_are_not_called_flat() -> None:
    """Relative to the measured cost, a constant of 0.03 ms would win these, with no limit."""
    choice = choose(reference("embedded-2.14.0-query"))
    assert choice.best.form.name == "bilinear"


def test_a_new_form_is_one_line() -> None:
    cube = Term("cube", "ps per client cubed", "S^3", 1e9, lambda s, r: s**3)
    cubic = Form("cubic", (FIXED, CLIENT, cube))
    planted = frame(lambda s, g: 0.02 + 0.03 * s + 2e-5 * s**3, noise=0.02)
    assert choose(planted, [*FORMS.values(), cubic]).best.form is cubic
