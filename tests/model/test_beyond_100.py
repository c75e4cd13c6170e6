"""Measured beyond 100 clients: the figures of docs/model.md.

`lobby-per-sender-800.csv`: embedded engine 2.14.0, WebSocket clients, five repeats, two busy cores.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from analyzer.build.cache import CHECKOUT
from analyzer.model.ceiling import ceiling
from analyzer.model.foretell import foretell
from analyzer.model.model import Model, fit
from analyzer.results import analyse_run
from analyzer.store import load_run
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


def test_at_800_clients_one_time_per_key_is_not_enough_and_a_cost_by_rows_is_nearer(
    to_800: Model,
) -> None:
    held_out = {c.name: c.held_out for c in to_800.choice.ranked if c.held_out}
    assert to_800.choice.best.form.name == "by rows"
    assert round(held_out["merge"].error, 2) == 0.32
    assert round(held_out["by rows"].error, 2) == 0.23


RUNS = CHECKOUT / "data"


@pytest.mark.parametrize(
    ("run", "rooms", "up_to", "most", "form", "cells", "aim"),
    [
        ("beyond-100", (8, 64), 100, 400, "merge", 12, 0.25),
        ("beyond-100", (8, 64), 400, 800, "by rows", 16, 0.15),
        ("beyond-100", (8, 64, 256), 100, 800, "by rows", 18, 0.27),
        ("beyond-100", (8, 64, 256), 400, 800, "by rows", 24, 0.15),
        ("beyond-100-quiet", (8, 64), 100, 400, "by parts", 12, 0.25),
        ("beyond-100-quiet", (8, 64), 200, 400, "by parts", 14, 0.17),
        ("beyond-100-quiet", (8, 64, 256), 100, 400, "by parts", 18, 0.2),
        ("beyond-100-quiet", (8, 64, 256), 200, 400, "by parts", 21, 0.16),
        ("beyond-100-check", (8, 64), 100, 400, "by parts", 12, 0.16),
        ("beyond-100-check", (8, 64, 256), 100, 400, "by rows", 18, 0.35),
        ("beyond-100-bend", (8, 64), 100, 400, "by parts", 12, 0.25),
        ("beyond-100-bend", (8, 64, 256), 100, 400, "by parts", 18, 0.4),
    ],
)
def test_the_shipped_runs_are_foretold_as_the_documents_say(
    run: str, rooms: tuple[int, ...], up_to: int, most: int, form: str, cells: int, aim: float
) -> None:
    frame = load_run(RUNS / run).frame()
    found = foretell(frame[frame["rows"].isin(rooms) & (frame["clients"] <= most)], up_to)
    assert (found.model.choice.best.form.name, found.model.choice.best.n) == (form, cells)
    for cell in found.cells:
        assert cell.inside
        assert abs(cell.error) < aim
        if cell.bilinear_error is not None:
            assert cell.bilinear_error < -0.1


def test_of_forms_that_aicc_holds_alike_the_one_that_foretells_more_clients_is_chosen() -> None:
    frame = load_run(RUNS / "beyond-100-quiet").frame().drop(columns="commit_ms")
    choice = fit(frame[frame["rows"].isin((8, 64)) & (frame["clients"] <= 100)]).choice
    aicc = {candidate.name: candidate.fit.aicc for candidate in choice.ranked}
    assert abs(aicc["merge"] - aicc["by rows"]) < 2
    assert choice.best.form.name == "by rows"


def test_a_cliff_that_no_fewer_clients_foretell_is_flagged_where_it_is_measured() -> None:
    frame = load_run(RUNS / "beyond-100-bend").frame()
    at_64 = frame[frame["rows"].isin((8, 64))]
    found = foretell(at_64, 400)
    assert [(c.rows, c.inside) for c in found.cells] == [(8, True), (64, False)]
    known = fit(at_64)
    assert list(known.choice.bends) == [64]
    assert known.choice.bends[64] > 1.9
    beyond = ceiling(known, "10s", rows=64)
    assert (beyond.clients, beyond.at_least) == (None, 800)
    assert "where the cost bends" in beyond.note


def test_on_a_quiet_machine_ceilings_from_400_clients_stand_where_they_were_verified() -> None:
    """Crossings measured right after that sweep, with up to 800 clients: docs/model.md."""
    model = fit(load_run(RUNS / "beyond-100-quiet"))
    for rooms, crossing in ((8, 618), (64, 150), (256, 50)):
        found = ceiling(model, "50ms", rows=rooms)
        assert found.clients == pytest.approx(crossing, rel=0.1)
        assert found.low is not None
        assert found.high is not None
        assert found.low <= crossing <= found.high


@pytest.mark.parametrize("run", ["beyond-100", "beyond-100-check"])
def test_by_ratio_the_shipped_ceilings_stand_where_the_measured_cost_crosses_the_budget(
    run: str,
) -> None:
    analysis, _ = analyse_run(load_run(RUNS / run))
    assert analysis.verification is not None
    assert analysis.verification.missing == ()
    assert [item.cell.rows for item in analysis.verification.found] == [8, 64, 256]
    for item in analysis.verification.found:
        assert item.miss_without_drift is not None
        assert abs(item.miss_without_drift) < 0.12
