"""Intervals: from repeats only, and as wide as they claim."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.model.bootstrap import bootstrap, interval, resampled_means
from analyzer.model.cells import samples
from analyzer.model.fit import fit_form
from analyzer.model.terms import FORMS
from tests.model.frames import frame

TRUTH = (0.025, 0.03, 0.008)
BILINEAR = FORMS["bilinear"]


def test_one_repeat_gives_no_interval_and_says_so() -> None:
    boot = bootstrap(fit_form(frame(repeats=1), BILINEAR))
    assert boot.intervals() is None
    assert "no interval: one repeat" in boot.reason


def test_a_single_cell_with_one_repeat_is_named() -> None:
    planted = frame()
    planted.loc[[0, 1], "verdict"] = "void"
    assert (
        "one repeat in 1 cell(s), the first S=0 R=8"
        in bootstrap(fit_form(planted, BILINEAR)).reason
    )


def test_equal_repeats_give_an_interval_of_one_value() -> None:
    fit = fit_form(frame(), BILINEAR)
    ends = bootstrap(fit).intervals()
    assert ends is not None
    for (low, high), value in zip(ends, fit.coefficients, strict=True):
        assert low == pytest.approx(high, rel=1e-9)
        assert low == pytest.approx(value, rel=1e-6)
    assert interval(np.array([2.0, 2.0, 2.0])) == (2.0, 2.0)


def test_the_same_seed_gives_the_same_interval_and_another_does_not() -> None:
    fit = fit_form(frame(noise=0.1), BILINEAR)
    assert bootstrap(fit, seed=7).intervals() == bootstrap(fit, seed=7).intervals()
    assert bootstrap(fit, seed=7).intervals() != bootstrap(fit, seed=8).intervals()


def test_resampled_means_have_the_unbiased_variance_of_a_mean() -> None:
    data = samples(frame(noise=0.1, repeats=3))
    means = resampled_means(data, 40_000, np.random.default_rng(1))
    for cell, values in enumerate(data.repeats):
        assert means[:, cell].var() == pytest.approx(values.var(ddof=1) / 3, rel=0.05)


@pytest.mark.parametrize("repeats", [3, 5])
def test_intervals_cover_the_truth_about_as_often_as_they_say(repeats: int) -> None:
    runs = 100
    hits = np.zeros(3)
    for seed in range(runs):
        fit = fit_form(frame(noise=0.1, repeats=repeats, seed=seed), BILINEAR)
        ends = bootstrap(fit, draws=500, seed=seed).intervals()
        assert ends is not None
        hits += [low <= true <= high for (low, high), true in zip(ends, TRUTH, strict=True)]
    coverage = hits / runs
    assert ((coverage >= 0.84) & (coverage <= 0.99)).all(), f"{repeats} repeats: {coverage}"
