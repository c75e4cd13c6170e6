"""Intervals: from repeats only, and as wide as they claim."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.model.bootstrap import bootstrap, interval, resampled_means
from analyzer.model.cells import samples
from analyzer.model.fit import fit_form
from analyzer.model.terms import FORMS
from tests.model.frames import frame

BILINEAR = FORMS["bilinear"]


def test_one_repeat_gives_no_interval_and_says_so() -> None:
    boot = bootstrap(fit_form(frame(repeats=1), BILINEAR))
    assert boot.intervals() is None
    assert "no interval: one repeat" in boot.reason


def test_a_cell_left_with_one_repeat_borrows_the_spread_of_the_others() -> None:
    planted = frame(noise=0.1)
    planted.loc[[0, 1], "verdict"] = "void"
    assert bootstrap(fit_form(planted, BILINEAR)).intervals() is not None


def test_a_few_repeated_cells_are_not_enough_for_an_interval() -> None:
    planted = frame(noise=0.1)
    planted.loc[(planted["repeat"] > 0) & (planted["clients"] > 10), "verdict"] = "void"
    planted.loc[(planted["repeat"] > 0) & (planted["rows"] > 64), "verdict"] = "void"
    boot = bootstrap(fit_form(planted, BILINEAR))
    assert boot.intervals() is None
    assert boot.reason == "no interval: only 4 of 16 cells have more than one repeat"


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


def test_a_repeat_in_which_the_machine_was_slow_widens_every_interval() -> None:
    """The mean of three factors 0.8, 1 and 1.2 is known to 0.2/sqrt(3), in all cells alike."""
    slow = frame()
    slow["write_ms"] *= 0.8 + 0.2 * slow["repeat"]
    means = resampled_means(samples(slow), 40_000, np.random.default_rng(1))
    relative = means / means.mean(axis=0)
    assert relative.std(axis=0) == pytest.approx(0.2 / np.sqrt(3), rel=0.05)
    assert np.corrcoef(relative.T).min() > 0.999


def test_resampled_means_have_the_unbiased_relative_variance_of_all_cells() -> None:
    data = samples(frame(noise=0.1, repeats=3))
    drawn = resampled_means(data, 40_000, np.random.default_rng(1)) / data.means
    pooled = np.mean([values.var(ddof=1) / values.mean() ** 2 for values in data.repeats])
    assert drawn.var(axis=0) == pytest.approx(pooled / 3, rel=0.08)
    assert drawn.mean(axis=0) == pytest.approx(1, rel=0.01)
