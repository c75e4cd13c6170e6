"""Forms with numbers inside their columns: planted, found, and when one is chosen."""

from __future__ import annotations

import pytest

from analyzer.model.cells import samples
from analyzer.model.curves import POWER, POWER_OF_CLIENTS, USL, Curve, fit_curve
from analyzer.model.select import choose
from tests.model.frames import Rule, frame

PLANTED: list[tuple[Curve, tuple[int, ...], Rule, tuple[float, ...], tuple[float, ...]]] = [
    (POWER, (8, 64, 256), lambda s, r: 0.02 + 0.01 * s**1.4 * r**0.8, (1.4, 0.8), (0.02, 0.01)),
    (POWER_OF_CLIENTS, (8,), lambda s, r: 0.02 + 0.3 * s**1.4, (1.4,), (0.02, 0.3)),
    (
        USL,
        (8, 64, 256),
        lambda s, r: 0.02 + (0.1 + 0.01 * r) * (s + 0.02 * s * (s - 1)),
        (0.02,),
        (0.02, 0.1, 0.01),
    ),
]


@pytest.mark.parametrize(
    ("curve", "rows", "cost", "shape", "coefficients"), PLANTED, ids=[p[0].name for p in PLANTED]
)
def test_planted_shapes_and_coefficients_are_recovered(
    curve: Curve,
    rows: tuple[int, ...],
    cost: Rule,
    shape: tuple[float, ...],
    coefficients: tuple[float, ...],
) -> None:
    data = samples(frame(cost, clients=(0, 5, 10, 50, 100, 400), rows=rows, repeats=1))
    fit = fit_curve(data, curve)
    assert fit.form.shape == pytest.approx(shape, rel=1e-3)
    assert fit.coefficients == pytest.approx(coefficients, rel=0.02)


def test_the_numbers_of_a_shape_count_in_aicc() -> None:
    data = samples(frame(noise=0.05))
    assert fit_curve(data, POWER).form.parameters == 4
    assert fit_curve(data, USL).form.parameters == 4


def test_a_curve_that_leaves_the_linear_forms_without_support_is_chosen_and_says_so() -> None:
    planted = frame(
        lambda s, r: 0.02 + (0.1 + 0.01 * r) * (s + 0.02 * s * (s - 1)),
        clients=(10, 50, 100),
        rows=(8, 64, 256),
        noise=0.01,
    )
    choice = choose(planted)
    assert choice.best.form.name == "usl"
    assert "the exponents are fitted once: the intervals take them as known" in choice.notes


def test_a_rival_is_never_chosen_but_warns() -> None:
    planted = frame(lambda s, r: 0.02 + 0.3 * s**0.5 * r**0.4, noise=0.03)
    choice = choose(planted)
    assert choice.best.form.name != "power"
    assert any("power describes these cells better" in note for note in choice.notes)


def test_one_number_of_rooms_has_the_rivals_it_can_carry() -> None:
    names = {c.name for c in choose(frame(rows=(64,), clients=(0, 5, 10, 50, 100))).ranked}
    assert "power" in names
    assert not names & {"usl", "bilinear", "quadratic"}
