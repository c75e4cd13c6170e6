"""The most clients foretold by fewer: what holds, and what bends and is flagged."""

from __future__ import annotations

import pytest

from analyzer.model.ceiling import Status, ceiling
from analyzer.model.model import fit_arm
from analyzer.model.select import choose
from analyzer.model.terms import FORMS
from tests.model.frames import bilinear, frame, reference


def quadratic(s: int, g: int) -> float:
    return bilinear(s, g) + 4e-5 * s * s * g


def test_a_quadratic_truth_is_foretold_by_its_own_form_and_missed_by_the_bilinear() -> None:
    choice = choose(frame(quadratic, clients=(0, 10, 50, 100, 400), noise=0.03))
    held_out = {c.name: c.held_out for c in choice.ranked if c.held_out}
    assert choice.best.form.name == "quadratic"
    assert set(held_out["quadratic"].clients) == {400}
    assert held_out["quadratic"].error < 0.15
    assert held_out["bilinear"].error > 0.4


def test_the_prediction_comes_from_cells_below_the_largest_only() -> None:
    planted = frame(quadratic)
    planted.loc[planted["clients"] == 100, "write_ms"] *= 2
    held_out = choose(planted, [FORMS["quadratic"]]).ranked[0].held_out
    assert held_out is not None
    assert held_out.predicted == pytest.approx(
        [quadratic(100, g) for g in (8, 64, 256, 1000)], rel=1e-6
    )
    assert held_out.measured == pytest.approx(2 * held_out.predicted, rel=1e-6)


def test_two_client_counts_leave_too_few_to_foretell_the_larger() -> None:
    assert choose(frame(clients=(10, 100)), [FORMS["bilinear"]]).ranked[0].held_out is None


def test_at_256_rooms_the_measured_cost_bends_and_is_flagged() -> None:
    measured = reference("embedded-2.14.0-beyond-100")
    measured = measured[measured["clients"] <= 400]
    choice = choose(measured, [FORMS["bilinear"], FORMS["quadratic"]])
    assert 256 in choice.bends
    assert choice.bends[256] > 1.4
    note = next(note for note in choice.notes if "G=256" in note)
    assert note.startswith("the cost bends: ")
    assert note.endswith("times what fewer clients foretell at S=400 G=256")


def test_beyond_a_bend_no_ceiling_is_given_unless_asked_for() -> None:
    planted = frame(clients=(0, 10, 50, 100))
    bent = (planted["clients"] == 100) & (planted["rows"] == 8)
    planted.loc[bent, "write_ms"] *= 1.8
    model = fit_arm(planted, forms=[FORMS["bilinear"]])
    refused = ceiling(model, 50.0, rows=8)
    assert (refused.status, refused.at_least) == (Status.REFUSED, 100)
    assert "beyond the measured S = 100, where the cost bends" in refused.note
    asked = ceiling(model, 50.0, rows=8, extrapolate=True)
    assert asked.status is Status.FINITE
    assert asked.note.endswith("where the cost bends, unsupported")


@pytest.mark.parametrize(("clients", "rooms"), [(200, 8), (400, 8), (200, 64), (400, 64)])
def test_beyond_100_clients_the_bilinear_form_foretells_too_little(
    clients: int, rooms: int
) -> None:
    measured = reference("embedded-2.14.0-beyond-100")
    fewer = measured[(measured["clients"] <= 100) & (measured["rows"] <= 64)]
    cell = (measured["clients"] == clients) & (measured["rows"] == rooms)
    truth = float(measured.loc[cell, "write_ms"].iloc[0])
    fit = fit_arm(fewer, forms=[FORMS["bilinear"]]).choice
    bilinear_fit = next(c.fit for c in fit.ranked if c.name == "bilinear")
    assert bilinear_fit.predict(clients, rooms) < 0.9 * truth
