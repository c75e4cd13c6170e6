"""Two runs set against each other: no false alarm from noise, and a real change is found."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.errors import FitError
from analyzer.model.cells import Samples
from analyzer.model.contrast import Contrast, contrast
from analyzer.model.spread import cost_intervals, relative_error

NOISE = {"a slow machine": (0.12, 0.05), "slow cells": (0.02, 0.12), "both": (0.07, 0.1)}
"""Log standard deviation of a whole repeat, and of each cell in it; a real sweep shows `both`."""


def measured(
    seed: int, shared: float, rest: float, repeats: int = 3, times: float = 1.0
) -> Samples:
    """Twelve cells of one arm, whose repeats were slower or faster as a whole."""
    rng = np.random.default_rng(seed)
    clients, rows = (axis.ravel() for axis in np.meshgrid([10.0, 50, 100], [8.0, 64, 256, 1000]))
    slower = rng.normal(0, shared, repeats) + rng.normal(0, rest, (len(clients), repeats))
    costs = times * (0.03 + 0.005 * clients * rows)[:, None] * np.exp(slower)
    return Samples(clients, rows, tuple(costs), (np.arange(repeats),) * len(clients))


def pairs(count: int, noise: str, repeats: int = 3, times: float = 1.0) -> list[Contrast]:
    return [
        contrast(
            measured(2 * seed, *NOISE[noise], repeats),
            measured(2 * seed + 1, *NOISE[noise], repeats, times),
            draws=200,
        )
        for seed in range(count)
    ]


@pytest.mark.parametrize(
    ("noise", "repeats"), [*((noise, 3) for noise in NOISE), ("both", 2), ("both", 5)]
)
def test_of_two_runs_alike_nothing_at_all_is_told_apart_in_95_of_100(
    noise: str, repeats: int
) -> None:
    told = [any(found.told_apart) for found in pairs(200, noise, repeats)]
    assert sum(told) <= 0.08 * len(told), "5 % and twice its error over 200 pairs"


def test_intervals_hold_a_planted_ratio() -> None:
    held = [
        all(low <= 1.3 <= high for low, high in found.intervals)
        for found in pairs(200, "both", times=1.3)
    ]
    assert sum(held) >= 0.92 * len(held)


@pytest.mark.parametrize("noise", NOISE)
def test_the_smallest_visible_change_is_seen_in_about_4_of_5(noise: str) -> None:
    """Three repeats know their own scatter badly, so what the middle one of many runs says."""
    said = np.median([found.visible[0] for found in pairs(100, noise)])
    seen = [found.told_apart[0] for found in pairs(200, noise, times=1 + float(said))]
    assert 0.65 <= np.mean(seen) <= 0.95


def test_a_run_against_itself_is_no_difference_everywhere() -> None:
    run = measured(1, 0.1, 0.1)
    found = contrast(run, run)
    assert not any(found.told_apart)
    assert found.ratios == [1.0] * 13


def test_repeats_that_are_all_equal_tell_any_difference() -> None:
    found = contrast(measured(1, 0.0, 0.0), measured(2, 0.0, 0.0, times=1.01))
    assert all(found.told_apart)
    assert found.intervals[0] == pytest.approx((1.01, 1.01))


def test_one_repeat_has_no_interval_and_says_so() -> None:
    with pytest.raises(FitError, match="use --repeats 3 or more"):
        contrast(measured(1, 0.1, 0.1, repeats=1), measured(2, 0.1, 0.1))


def test_a_repeat_that_lost_cells_still_counts_for_the_others() -> None:
    whole = measured(3, 0.1, 0.05)
    cut = Samples(
        whole.clients,
        whole.rows,
        (whole.repeats[0][:2], whole.repeats[1][:1], *whole.repeats[2:]),
        (whole.numbers[0][:2], whole.numbers[1][:1], *whole.numbers[2:]),
    )
    found = contrast(whole, cut)
    assert len(found.ratios) == 13
    assert found.errors[2] > found.errors[3], "the cell with one repeat is less certain"


def test_the_interval_of_a_cost_holds_the_cost_in_95_of_100() -> None:
    held = []
    for seed in range(200):
        data = measured(seed, *NOISE["both"])
        truths = 0.03 + 0.005 * data.clients * data.rows
        (low, high), truth = cost_intervals(data)[5], truths[5]
        held.append(low <= truth <= high)
    assert 0.9 <= np.mean(held) <= 0.99


def test_the_relative_error_falls_with_repeats() -> None:
    few, many = (relative_error(measured(4, 0.05, 0.05, repeats=n)) for n in (3, 30))
    assert many < 0.05 < few
