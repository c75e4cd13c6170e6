"""The read-set merge: one time per key compared, whatever the scenario."""

from __future__ import annotations

import pytest

from analyzer.model.axis import row_axis
from analyzer.model.laws import Point, find_law
from analyzer.model.merge import merge_form
from analyzer.model.model import fit_arm
from analyzer.model.terms import Form
from analyzer.scenarios import SCENARIOS
from tests.model.frames import frame

NS = 8e-6
"""Planted time per key compared, in ms."""


def form_of(scenario: str, arm: str, cells: tuple[int, ...] = (0, 1, 10, 50)) -> Form | None:
    declared, axis = SCENARIOS[scenario].arm(arm), row_axis(scenario)
    calls, seeks = (
        find_law([Point(s, r, float(law(s, r))) for s in cells for r in (8, 64, 256)], axis)
        for law in (declared.view_calls, declared.seeks)
    )
    return merge_form(calls, seeks, axis)


@pytest.mark.parametrize(
    ("scenario", "formula"),
    [("lobby", "a + b*S + c*S*G + d*S*S*(4*G+1)"), ("tournament", "a + b*S + c*S*F + d*2*S*2*S")],
)
def test_the_column_is_the_product_of_two_laws(scenario: str, formula: str) -> None:
    form = form_of(scenario, "per_sender")
    assert form is not None
    assert form.formula(row_axis(scenario)) == formula


@pytest.mark.parametrize(("scenario", "arm"), [("lobby", "anonymous"), ("lobby", "projection"),
                                               ("tournament", "anonymous")])  # fmt: skip
def test_a_view_that_is_built_once_has_no_merge_that_grows(scenario: str, arm: str) -> None:
    assert form_of(scenario, arm) is None


def test_without_an_exact_law_there_is_no_column() -> None:
    axis = row_axis("lobby")
    unknown, ragged = find_law([], axis), find_law([Point(1, 8, 1.5), Point(2, 8, 3.0)], axis)
    assert merge_form(unknown, unknown, axis) is None
    assert merge_form(ragged, ragged, axis) is None


@pytest.mark.parametrize(
    ("scenario", "keys", "calls"), [("lobby", lambda s, r: s * (4 * r + 1), lambda s, r: s),
                                    ("tournament", lambda s, r: 2 * s, lambda s, r: 2 * s)],
)  # fmt: skip
def test_the_time_per_key_comes_back_from_both_scenarios(scenario, keys, calls) -> None:
    planted = frame(
        lambda s, r: 0.03 + 0.2 * s + 0.0007 * s * r + NS * calls(s, r) * keys(s, r),
        scenario=scenario,
        clients=(0, 10, 50, 100, 400),
        seeks=lambda s, r: keys(s, r) + 1,
        calls=calls,
        noise=0.001,
    )
    best = fit_arm(planted).choice.best
    assert best.form.name == "merge"
    compare = best.form.terms[3]
    assert compare.unit == "ns per key compared"
    assert best.coefficients[3] == pytest.approx(NS, rel=0.05)


def test_with_a_merge_proven_no_form_without_a_square_is_chosen() -> None:
    model = fit_arm(frame(noise=0.05))
    rivals = {candidate.name for candidate in model.choice.ranked if candidate.rival}
    assert rivals == {"constant", "linear", "rows", "linear+rows", "bilinear", "power"}
    assert model.choice.best.form.name == "merge"


def test_cells_that_contradict_a_merge_are_believed() -> None:
    flat = frame(lambda s, g: 0.02 + 0.01 * g * (s > 0), noise=0.05)
    choice = fit_arm(flat).choice
    assert choice.best.form.name in {"rows", "linear+rows"}
    assert "merge" in {candidate.name for candidate in choice.ranked}


def test_at_one_number_of_rooms_the_square_stands_for_the_merge() -> None:
    model = fit_arm(frame(rows=(64,), clients=(0, 10, 25, 50, 100), noise=0.05))
    assert model.choice.best.form.name == "square"
    assert next(c for c in model.choice.ranked if c.name == "linear").rival
