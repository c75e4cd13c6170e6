"""Budgets: a time per write, or a share of the lock at a rate; and what waiting they mean."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.errors import UsageError
from analyzer.model.budget import Budget, as_budget
from analyzer.model.ceiling import Status, ceiling
from analyzer.model.model import fit_arm
from analyzer.model.queue import knee, mean_wait_ms
from analyzer.model.terms import FORMS
from tests.model.frames import bilinear, frame

MODEL = fit_arm(frame(), forms=[FORMS["bilinear"]])


def test_a_share_at_a_fixed_rate_is_a_time_per_write() -> None:
    share = ceiling(MODEL, Budget(utilization=0.5, per_second=10.0), rows=64)
    assert share.clients == ceiling(MODEL, 50.0, rows=64).clients == 92
    assert share.budget_ms == 50.0


@pytest.mark.parametrize("rows", [8, 64, 256, 1000])
def test_a_share_at_a_rate_per_client_is_the_root_of_the_polynomial_rounded_down(
    rows: int,
) -> None:
    found = ceiling(MODEL, Budget(utilization=0.5, per_client=0.2), rows=rows)
    a, b = 0.025, 0.03 + 0.008 * rows
    # 0.2 S (a + b S) = 500
    root = (-a + math.sqrt(a * a + 4 * b * 2500)) / (2 * b)
    assert found.clients == math.floor(root)
    assert found.load is not None
    assert found.load.writes_per_second == pytest.approx(0.2 * found.clients)
    assert 0.4 < found.load.utilization <= 0.5


def test_at_a_rate_per_client_even_a_flat_cost_has_a_limit() -> None:
    model = fit_arm(frame(lambda s, g: 2.0))
    assert ceiling(model, 50.0, rows=8).status is Status.UNLIMITED
    assert ceiling(model, Budget(utilization=0.5, per_client=1.9), rows=8).clients == 131


def test_one_client_above_its_share_leaves_none_and_says_why() -> None:
    found = ceiling(MODEL, Budget(utilization=0.01, per_client=10.0), rows=256)
    assert found.clients == 0
    assert found.note == "one client makes it 2.10 ms, above the budget of 1.00 ms"


@settings(max_examples=40, deadline=None)
@given(share=st.floats(0.05, 0.9), rate=st.floats(0.01, 5.0), rows=st.sampled_from([8, 64, 256]))
def test_one_client_more_is_above_the_share(share: float, rate: float, rows: int) -> None:
    budget = Budget(utilization=share, per_client=rate)
    s = ceiling(MODEL, budget, rows=rows, extrapolate=True).clients
    assert s is not None
    for clients, within in ((s, True), (s + 1, False)):
        used = rate * clients * bilinear(clients, rows) / 1e3
        assert (used <= share * (1 + 1e-9)) == within


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "needs a utilization"),
        ({"write_ms": 0.0}, "no time at all"),
        ({"write_ms": 5.0, "utilization": 0.5}, "not both"),
        ({"utilization": 0.5}, "needs one rate"),
        ({"utilization": 0.5, "per_second": 1.0, "per_client": 1.0}, "needs one rate"),
        ({"utilization": 1.0, "per_second": 1.0}, "not between 0 and 1"),
        ({"utilization": 0.5, "per_second": 0.0}, "not above 0"),
        ({"per_second": 5.0}, "needs a utilization"),
    ],
)
def test_half_a_budget_is_refused_in_words(values: dict[str, float], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Budget(**values)


def test_a_budget_reads_as_people_write_it() -> None:
    assert str(as_budget("1.5s")) == "1500 ms of lock per write"
    assert str(as_budget(50)) == "50 ms of lock per write"
    assert str(Budget(utilization=0.5, per_second=20.0)) == "50 % of the lock at 20 writes/s"
    assert (
        str(Budget(utilization=0.5, per_client=0.2)) == "50 % of the lock at 0.2 writes/s a client"
    )
    with pytest.raises(UsageError, match="is not a duration"):
        as_budget("fast")


def test_the_mean_wait_is_that_of_a_simulated_lock() -> None:
    """Lindley's recursion: the next wait is this one plus the hold less the gap, or none."""
    rng = np.random.default_rng(1)
    hold, used = 10.0, 0.6
    gaps = rng.exponential(hold / used, 200_000)
    wait, total = 0.0, 0.0
    for gap in gaps:
        wait = max(0.0, wait + hold - gap)
        total += wait
    assert mean_wait_ms(used, hold) == pytest.approx(total / len(gaps), rel=0.03)
    assert mean_wait_ms(used, hold) == pytest.approx(7.5)


def test_random_holds_wait_twice_as_long_and_a_full_lock_for_ever() -> None:
    assert mean_wait_ms(0.5, 10.0, variation=1.0) == 2 * mean_wait_ms(0.5, 10.0)
    assert mean_wait_ms(1.0, 10.0) == math.inf


@pytest.mark.parametrize("variation", [0.0, 0.5, 1.0, 2.0])
def test_the_knee_is_where_use_over_response_time_is_largest(variation: float) -> None:
    shares = np.linspace(0.01, 0.99, 981)
    power = [share / (1 + mean_wait_ms(share, 1.0, variation)) for share in shares]
    assert knee(variation) == pytest.approx(shares[int(np.argmax(power))], abs=1e-3)


def test_the_load_shows_wait_and_knee_at_the_ceiling() -> None:
    found = ceiling(MODEL, Budget(utilization=0.5, per_second=10.0), rows=64)
    load = found.load
    assert load is not None
    assert load.utilization == pytest.approx(10 * MODEL.predict(92, 64) / 1e3)
    assert load.wait_ms == pytest.approx(mean_wait_ms(load.utilization, MODEL.predict(92, 64)))
    assert load.knee_clients == ceiling(MODEL, 1e3 * knee() / 10, rows=64).clients
    assert ceiling(MODEL, 50.0, rows=64).load is None
