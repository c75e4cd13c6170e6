"""Measured beyond 100 clients: the figures of docs/model.md.

`lobby-per-sender-800.csv`: embedded engine 2.14.0, WebSocket clients, five repeats, two busy cores.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analyzer.model.ceiling import ceiling
from analyzer.model.model import Model, fit
from tests.model.frames import DATA

MEASURED = pd.read_csv(DATA / "lobby-per-sender-800.csv")
COSTS = MEASURED.groupby(["clients", "rows"])["write_ms"].mean()


@pytest.fixture(scope="module")
def to_100() -> Model:
    return fit(MEASURED[MEASURED["clients"] <= 100])


@pytest.fixture(scope="module")
def to_800() -> Model:
    return fit(MEASURED)


@pytest.mark.parametrize(("clients", "rooms"), [(200, 8), (200, 64), (400, 8), (400, 64)])
def test_twelve_cells_up_to_100_clients_foretell_200_and_400_within_a_quarter(
    to_100: Model, clients: int, rooms: int
) -> None:
    assert to_100.choice.best.form.name == "merge"
    truth = COSTS[clients, rooms]
    ends = to_100.interval(clients, rooms, repeats=5)
    assert ends is not None
    assert ends[0] <= truth <= ends[1]
    bilinear = next(c.fit for c in to_100.choice.ranked if c.name == "bilinear")
    missed = abs(to_100.predict(clients, rooms) / truth - 1)
    assert missed < 0.25
    assert missed < abs(bilinear.predict(clients, rooms) / truth - 1) / 2


@pytest.mark.parametrize(("rooms", "below"), [(8, 400), (64, 100)])
def test_the_ceiling_is_within_a_tenth_of_where_the_measured_cost_crosses_the_budget(
    to_800: Model, rooms: int, below: int
) -> None:
    low, high = COSTS[below, rooms], COSTS[2 * below, rooms]
    crossing = below * (50 / low) ** (1 / np.log2(high / low))
    found = ceiling(to_800, "50ms", rows=rooms)
    assert found.clients == pytest.approx(crossing, rel=0.1)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= crossing <= found.high


def test_at_800_clients_one_time_per_key_is_not_enough_and_is_said_so(to_800: Model) -> None:
    held_out = to_800.choice.ranked[0].held_out
    assert held_out is not None
    assert (held_out.clients, round(held_out.error, 2)) == (800, 0.32)
    assert any("the cost bends" in note and "G=64" in note for note in to_800.choice.notes)
