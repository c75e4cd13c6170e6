"""A cost of its own at every row count: when it is chosen, and what lies between."""

from __future__ import annotations

import pytest

from analyzer.model.axis import row_axis
from analyzer.model.by_rows import by_rows_form
from analyzer.model.cells import samples
from analyzer.model.fit import fit_samples
from analyzer.model.model import fit_arm
from tests.model.frames import frame

CLIENTS = (0, 10, 25, 50, 75, 100)
PER_KEY_NS = {8: 4.0, 64: 8.0, 256: 13.0}


def far_apart(s: int, g: int) -> float:
    """As measured: what a key takes depends on the rows."""
    return 0.04 + 0.006 * s * g + 1e-6 * PER_KEY_NS[g] * s * s * (4 * g + 1)


def test_the_coefficients_of_every_row_count_come_back() -> None:
    data = samples(frame(far_apart, clients=CLIENTS, rows=PER_KEY_NS))
    form = by_rows_form(data)
    assert form is not None
    fit = fit_samples(data, form)
    fixed, *others = fit.coefficients
    assert fixed == pytest.approx(0.04, rel=1e-6)
    for (g, ns), client, square in zip(PER_KEY_NS.items(), others[::2], others[1::2], strict=True):
        assert client == pytest.approx(0.006 * g, rel=1e-6)
        assert square == pytest.approx(1e-6 * ns * (4 * g + 1), rel=1e-6)
    assert form.formula(row_axis("lobby")).startswith("a + b*S*[G=8] + c*S^2*[G=8] + d*S*[G=64]")


def test_it_is_chosen_where_a_key_takes_the_longer_the_more_rows_there_are() -> None:
    model = fit_arm(frame(far_apart, clients=CLIENTS, rows=PER_KEY_NS, noise=0.01))
    assert model.choice.best.form.name == "by rows"
    assert model.predict(400, 8) == pytest.approx(far_apart(400, 8), rel=0.15)
    assert model.predict(400, 256) == pytest.approx(far_apart(400, 256), rel=0.15)


def test_between_two_row_counts_it_goes_straight_from_one_to_the_other() -> None:
    model = fit_arm(frame(far_apart, clients=CLIENTS, rows=PER_KEY_NS, noise=0.01))
    ends = model.predict(100, 8), model.predict(100, 64)
    assert model.predict(100, 36) == pytest.approx(sum(ends) / 2)


@pytest.mark.parametrize("rows", [(8,), (8, 16, 32, 64, 128)])
def test_one_row_count_needs_no_such_form_and_five_are_too_many(rows: tuple[int, ...]) -> None:
    assert by_rows_form(samples(frame(clients=CLIENTS, rows=rows))) is None
