"""Planted costs come back; what cannot be fitted is refused in words."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from analyzer.errors import FitError
from analyzer.model.axis import row_axis
from analyzer.model.fit import design, deviance, fit_form
from analyzer.model.terms import FORMS
from tests.model.frames import frame

BILINEAR = FORMS["bilinear"]


@settings(max_examples=60, deadline=None)
@given(
    a=st.floats(0.01, 1.0),
    b=st.floats(0.001, 1.0),
    c=st.floats(0.0001, 0.1),
)
def test_planted_bilinear_coefficients_are_recovered(a: float, b: float, c: float) -> None:
    fit = fit_form(frame(lambda s, g: a + b * s + c * s * g, repeats=1), BILINEAR)
    assert fit.coefficients == pytest.approx((a, b, c), rel=1e-5)
    assert fit.predict(200, 500) == pytest.approx(a + 200 * b + 100_000 * c, rel=1e-5)
    assert fit.relative_rms < 1e-6


def test_an_anonymous_view_costs_its_rows_only_once_anybody_subscribes() -> None:
    fit = fit_form(frame(lambda s, g: 0.02 + 0.01 * g * (s > 0), repeats=1), FORMS["rows"])
    assert fit.coefficients == pytest.approx((0.02, 0.01))
    assert fit.predict(0, 1000) == pytest.approx(0.02)
    assert fit.predict(7, 1000) == pytest.approx(10.02)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_no_other_coefficients_at_or_above_0_have_a_smaller_deviance(seed: int) -> None:
    fit = fit_form(frame(noise=0.4, seed=seed, repeats=1), BILINEAR)
    matrix, measured = design(BILINEAR, fit.data), fit.data.means
    ours = deviance(measured, fit.predicted)
    scale = np.array([0.02, 0.03, 0.008])
    other = minimize(
        lambda x: deviance(measured, matrix @ (x * scale)),
        x0=np.ones(3),
        bounds=[(1e-9, None)] * 3,
        method="L-BFGS-B",
    )
    assert ours <= other.fun + 1e-6


def test_noise_does_not_pull_the_cost_down() -> None:
    scales = [
        fit_form(frame(noise=0.2, seed=seed), BILINEAR).coefficients[2] / 0.008
        for seed in range(80)
    ]
    assert np.mean(scales) == pytest.approx(1.0, abs=0.01)


def test_too_few_cells_are_refused_with_both_numbers() -> None:
    with pytest.raises(FitError, match="bilinear form needs 4 cells, has 3"):
        fit_form(frame(clients=(0, 10, 50), rows=(8,)), BILINEAR)


def test_cells_that_cannot_separate_the_terms_are_refused() -> None:
    with pytest.raises(FitError, match="cannot tell the bilinear form's terms apart"):
        fit_form(frame(rows=(8,)), BILINEAR)


def test_a_frame_of_void_cells_is_refused() -> None:
    with pytest.raises(FitError, match="no cell is left"):
        fit_form(frame().assign(verdict="void"), BILINEAR)


def test_an_unknown_cost_takes_no_part_and_is_never_a_zero() -> None:
    planted = frame()
    planted.loc[planted["clients"] == 50, "write_ms"] = math.nan
    fit = fit_form(planted, BILINEAR)
    assert fit.n == 12
    assert fit.coefficients == pytest.approx((0.025, 0.03, 0.008))


def test_a_cost_of_zero_is_refused_and_named() -> None:
    planted = frame()
    planted.loc[20, "write_ms"] = 0.0
    with pytest.raises(FitError, match="write_ms is 0 at S=10 R=256"):
        fit_form(planted, BILINEAR)


def test_a_cell_whose_generator_was_the_bottleneck_leaves_the_fit() -> None:
    planted = frame()
    late = (planted["clients"] == 100) & (planted["rows"] == 1000)
    planted.loc[late, ["write_ms", "verdict", "reason"]] = [9.0, "void", "at least 601/s"]
    fit = fit_form(planted, BILINEAR)
    assert fit.n == 15
    assert fit.coefficients == pytest.approx((0.025, 0.03, 0.008))


def test_residuals_are_a_table_of_cells_relative_to_the_prediction() -> None:
    residuals = fit_form(frame(noise=0.1), BILINEAR).residuals
    assert list(residuals) == ["clients", "rows", "measured_ms", "predicted_ms", "relative"]
    pd.testing.assert_series_equal(
        residuals["relative"],
        residuals["measured_ms"] / residuals["predicted_ms"] - 1,
        check_names=False,
    )


def test_units_and_formulas_speak_the_scenarios_words() -> None:
    axis = row_axis("tournament")
    assert BILINEAR.formula(axis) == "a + b*S + c*S*F"
    assert [term.unit_for(axis) for term in BILINEAR.terms] == [
        "ms",
        "us per client",
        "us per client and entrant",
    ]
    assert row_axis("mine").symbol == "R"
