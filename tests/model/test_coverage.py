"""95 % intervals hold a planted truth in 90 to 98 of 100."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.model.bootstrap import bootstrap, interval
from analyzer.model.budget import Budget
from analyzer.model.ceiling import ceiling, largest_clients
from analyzer.model.cells import Floats, Samples
from analyzer.model.fit import fit_samples, predict
from analyzer.model.terms import FORMS, Form
from tests.model.frames import model_by

TRUTHS = {
    "bilinear": (0.025, 0.03, 0.008),
    "quadratic": (0.025, 0.03, 0.005, 2e-5, 4e-5),
}
CELLS = [(s, g) for s in (0, 10, 50, 100) for g in (8, 64, 256, 1000)]
ROUNDS = 200


def planted(form: str, noise: float, repeats: int, seed: int) -> Samples:
    """Multiplicative noise: gamma, of mean 1."""
    clients, rows = (np.array(axis, dtype=float) for axis in zip(*CELLS, strict=True))
    costs = FORMS[form].design(clients, rows) @ np.array(TRUTHS[form])
    rng = np.random.default_rng(seed)
    draws = rng.gamma(1 / noise**2, noise**2, size=(len(costs), repeats))
    numbers = (np.arange(repeats),) * len(costs)
    return Samples(clients, rows, tuple(costs[:, None] * draws), numbers)


def most(coefficients: Floats, form: Form) -> Floats:
    """Clients within 50 ms at 8 rooms."""

    def costs(clients: Floats) -> Floats:
        return predict(form, coefficients, clients, 8)

    return largest_clients(costs, len(coefficients), Budget(write_ms=50.0))


@pytest.mark.parametrize("repeats", [3, 5])
@pytest.mark.parametrize("noise", [0.05, 0.15])
@pytest.mark.parametrize("form", TRUTHS)
def test_intervals_hold_the_truth_as_often_as_they_say(
    form: str, noise: float, repeats: int
) -> None:
    truth = np.array([TRUTHS[form]])
    hits: dict[str, int] = dict.fromkeys(
        [*(term.name for term in FORMS[form].terms), "cost at S=200", "ceiling at 8 rooms"], 0
    )
    for seed in range(ROUNDS):
        fit = fit_samples(planted(form, noise, repeats, seed), FORMS[form])
        drawn = bootstrap(fit, draws=400, seed=seed).coefficients
        assert drawn is not None
        found = [
            *zip(drawn.T, truth[0], strict=True),
            (predict(fit.form, drawn, 200, 64), predict(fit.form, truth, 200, 64)[0]),
            (
                most(drawn, fit.form),
                most(truth, fit.form)[0],
            ),
        ]
        for name, (values, true) in zip(hits, found, strict=True):
            low, high = interval(values)
            hits[name] += low <= true <= high
    share = {name: 100 * count / ROUNDS for name, count in hits.items()}
    assert all(90 <= percent <= 98 for percent in share.values()), share


@pytest.mark.parametrize("noise", [0.05, 0.15])
@pytest.mark.parametrize("form", TRUTHS)
def test_with_doubt_about_the_form_they_hold_it_no_less_often(form: str, noise: float) -> None:
    """A planted truth has no misfit and no drift; what is kept in store for them only widens."""
    truth = np.array(TRUTHS[form])
    hits = {"cost at S=50": 0, "cost at S=200": 0, "ceiling at 8 rooms": 0}
    rounds = 60
    for seed in range(rounds):
        model = model_by(form, planted(form, noise, 3, seed), seed)
        found = ceiling(model, 50.0, rows=8, extrapolate=True)
        costs = {s: predict(FORMS[form], truth[None], s, 64)[0] for s in (50, 200)}
        ends = {
            "cost at S=50": (model.interval(50, 64), costs[50]),
            "cost at S=200": (model.interval(200, 64), costs[200]),
            "ceiling at 8 rooms": ((found.low, found.high), most(truth[None], FORMS[form])[0]),
        }
        for name, (span, true) in ends.items():
            assert span is not None
            hits[name] += span[0] <= true <= span[1]
    share = {name: 100 * count / rounds for name, count in hits.items()}
    assert all(percent >= 90 for percent in share.values()), share
