"""What a form may be off by: inside its cells, and in how it grows beyond them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from analyzer.model.ceiling import ceiling
from analyzer.model.cells import samples
from analyzer.model.doubt import PRIOR, PRIOR_FREEDOM, Doubt, doubt_of
from analyzer.model.fit import fit_samples
from analyzer.model.holdout import cuts, drift, rolled
from analyzer.model.model import Model
from analyzer.model.terms import CLIENT_ROW, Form
from tests.model.frames import Rule, bilinear, frame, model_by

CLIENTS = (0, 10, 25, 50, 75, 100)


def model(cost: Rule = bilinear, form: str = "bilinear", **cells: object) -> Model:
    planted = frame(cost, clients=CLIENTS, rows=(8, 64), **cells)  # type: ignore[arg-type]
    return model_by(form, samples(planted))


def bent(s: int, g: int) -> float:
    """Grows faster from 50 clients on: no sum of the terms."""
    return bilinear(s, g) * max(1.0, s / 50) ** 0.4


def width(of: Model, clients: float, rows: float = 64) -> float:
    low, high = of.interval(clients, rows) or (np.nan, np.nan)
    return np.log(high / low)


def test_every_client_count_but_the_most_is_held_against_those_above_it() -> None:
    best = model(noise=0.05).choice.ranked[0]
    assert list(cuts(best.fit.data)) == [10, 25, 50, 75]
    held_out = best.rolled()
    assert [h.fit.max_clients for h in held_out] == [10, 25, 50, 75]
    assert [sorted(set(h.clients)) for h in held_out[1:]] == [[50, 75, 100], [75, 100], [100]]
    assert all(len(h.logs) == len(h.growth) == len(h.rows) for h in held_out)


def test_a_drift_is_the_error_of_the_power_by_which_a_cost_grows() -> None:
    """A cost of S^1.1 foretold as S^1 is off by a tenth of the growth, however far one looks."""
    grown = frame(lambda s, g: g * (s or 1e-3) ** 1.1, clients=CLIENTS, rows=(8, 64))
    one_power = Form("one power", (CLIENT_ROW,))
    held_out = rolled(partial(fit_samples, form=one_power), samples(grown))
    assert len(held_out) == 4
    assert drift(held_out) == pytest.approx(0.1, rel=0.3)


def test_without_noise_or_misfit_only_the_prior_is_left() -> None:
    doubt = model().doubt
    assert doubt.misfit == pytest.approx(0, abs=1e-6)
    assert doubt.drift < PRIOR
    # Four fits to fewer clients and two row counts, less one.
    assert doubt.drift_freedom == 5 + PRIOR_FREEDOM
    alone = doubt_of(model().choice.best, ())
    assert (alone.drift, alone.drift_freedom) == (pytest.approx(PRIOR), PRIOR_FREEDOM)


def test_noise_of_the_cells_is_no_misfit_of_the_form() -> None:
    found = [model(noise=0.1, repeats=5, seed=seed).doubt.misfit for seed in range(10)]
    assert np.median(found) < 0.03
    assert model(bent, noise=0.02, repeats=5).doubt.misfit > 0.08


def test_a_cost_that_grew_otherwise_than_foretold_leaves_more_doubt() -> None:
    assert model(bent).doubt.drift > 1.5 * model().doubt.drift


def test_inside_the_cells_an_interval_holds_noise_and_misfit_and_beyond_them_drift() -> None:
    exact = model()
    assert width(exact, 100) == pytest.approx(0, abs=1e-4)
    assert 0.1 < width(exact, 200) < width(exact, 400) / 1.5
    assert width(model(bent), 100) > 0.2


def test_the_middle_of_the_draws_is_the_prediction() -> None:
    found = model(bent, noise=0.02, repeats=5)
    for clients in (50, 100, 400):
        middle = np.median(found.drawn(64)(clients))
        assert middle == pytest.approx(found.predict(clients, 64), rel=0.05)


def test_no_power_is_negative_and_no_draw_falls_with_clients() -> None:
    factors, powers = Doubt(0.1, 3.0, 2.0, 1.0).draw(1000)
    assert (factors > 0).all()
    assert powers.min() == 0
    costs = model(bent, noise=0.2).drawn(64)
    path = np.array([costs(s) for s in (0, 10, 99, 100, 101, 150, 1e3, 1e6)])
    assert (np.diff(path, axis=0) >= -1e-9 * path[:-1]).all()


def test_how_far_the_cells_go_is_asked_at_the_row_count_in_question() -> None:
    planted = frame(bilinear, clients=CLIENTS, rows=(8, 64))
    ragged = planted[(planted["clients"] <= 50) | (planted["rows"] == 8)]
    found = model_by("bilinear", samples(ragged))
    assert [found.most_clients(rows) for rows in (8, 30, 64)] == [100, 50, 50]
    assert width(found, 100, 8) < 0.01 < width(found, 100, 64)


def test_a_ceiling_inside_the_cells_is_known_better_than_one_beyond_them() -> None:
    found = model(noise=0.02, repeats=5)
    near, far = ceiling(found, 20.0, rows=64), ceiling(found, 100.0, rows=64)
    assert near.clients is not None
    assert far.clients is not None
    assert near.clients < 100 < far.clients
    inside, beyond = (np.log(c.high / c.low) for c in (near, far))  # type: ignore[operator]
    assert beyond > 2 * inside
