"""95 % intervals hold a planted truth in 90 to 98 of 100."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.model.bootstrap import bootstrap, interval
from analyzer.model.budget import Budget
from analyzer.model.ceiling import largest_clients
from analyzer.model.cells import Samples
from analyzer.model.fit import fit_samples, predict
from analyzer.model.terms import FORMS

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


@pytest.mark.parametrize("repeats", [3, 5])
@pytest.mark.parametrize("noise", [0.05, 0.15])
@pytest.mark.parametrize("form", TRUTHS)
def test_intervals_hold_the_truth_as_often_as_they_say(
    form: str, noise: float, repeats: int
) -> None:
    truth, budget = np.array([TRUTHS[form]]), Budget(write_ms=50.0)
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
                largest_clients(fit.form, drawn, 8, budget),
                largest_clients(fit.form, truth, 8, budget)[0],
            ),
        ]
        for name, (values, true) in zip(hits, found, strict=True):
            low, high = interval(values)
            hits[name] += low <= true <= high
    share = {name: 100 * count / ROUNDS for name, count in hits.items()}
    assert all(90 <= percent <= 98 for percent in share.values()), share
