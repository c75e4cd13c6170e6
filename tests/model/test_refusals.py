"""What small tables cannot carry is refused in words, and no number is printed."""

from __future__ import annotations

import pandas as pd
import pytest

from analyzer.errors import FitError
from analyzer.model.analysis import analyse
from analyzer.model.ceiling import Status, ceiling
from analyzer.model.cells import tidy
from analyzer.model.model import Model, fit
from analyzer.model.select import choose
from analyzer.model.terms import FORMS


def table(text: str) -> pd.DataFrame:
    """`S R ms` a line."""
    rows = [line.split() for line in text.strip().splitlines()]
    return pd.DataFrame(
        [{"clients": int(s), "rows": int(r), "write_ms": float(ms)} for s, r, ms in rows]
    )


def fitted(text: str) -> Model:
    return fit(table(text))


def test_one_number_of_rows_cannot_tell_a_cost_per_row_and_says_which_flag_to_add_to() -> None:
    notes = fitted("0 8 0.1\n10 8 1.1\n50 8 5.2\n100 8 10.3\n200 8 21").choice.notes
    bilinear = next(note for note in notes if note.startswith("bilinear"))
    assert bilinear == (
        "bilinear is left out: one number of rows only (8) cannot tell its terms apart; "
        "add one to --rows"
    )


def test_client_counts_too_close_together_cannot_tell_s_from_its_square() -> None:
    cells = "\n".join(
        f"{s} {r} {0.1 + 0.1 * s + 0.01 * s * r:.4f}" for s in (0, 96, 98, 100) for r in (8, 64)
    )
    notes = fitted(cells).choice.notes
    assert any(
        note.startswith("quadratic is left out: 4 client counts up to 100 and 2 of rows")
        and note.endswith("add to --clients, say 25 and 400")
        for note in notes
    )


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ("0 8 0.1\n10 8 1.1\n50 8 5.2", "needs 4 cells, has 3: add one to --clients"),
        ("0 8 0.1\n0 64 0.1\n10 8 1.1\n10 64 6", r"2 client counts above 0, has 1 \(S = 10\)"),
        ("0 8 0.1\n0 64 0.1\n0 256 0.1\n0 1000 0.1", "2 client counts above 0, has 0"),
    ],
)
def test_too_few_cells_are_refused_with_both_numbers(cells: str, words: str) -> None:
    with pytest.raises(FitError, match=words):
        fitted(cells)


def test_a_coefficient_at_its_bound_is_not_called_known() -> None:
    notes = fitted("0 8 1\n10 8 1\n50 8 1\n100 8 1\n10 64 1.02\n100 64 0.99").choice.notes
    best = fitted("10 8 1\n20 8 2\n40 8 4\n80 8 8\n10 64 8\n20 64 16\n40 64 32").choice
    assert notes == () or all("at its bound" not in note for note in notes[:1])
    assert "the cost in us per client is at its bound, 0: read it as not resolved" in best.notes


def test_a_cliff_between_two_cells_is_refused_with_both_of_them() -> None:
    with pytest.raises(FitError) as refused:
        fitted("0 8 0.1\n10 8 1\n50 8 5\n100 8 95\n200 8 190")
    assert str(refused.value) == (
        "a cliff between 5 ms at S=50 R=8 and 95 ms at S=100 R=8: no form here grows so fast; "
        "measure between them, or only up to the lower one"
    )


def test_a_cliff_along_the_rows_is_one_too() -> None:
    with pytest.raises(FitError, match="a cliff between 1 ms at S=10 R=8 and 40 ms at S=10 R=16"):
        fitted("10 8 1\n20 8 2\n10 16 40\n20 16 80")


def test_a_form_that_only_fits_with_a_negative_fixed_cost_is_left_out_and_says_what_to_add() -> (
    None
):
    curved = "\n".join(f"{s} 8 {0.002 * s * s:.4f}" for s in (20, 40, 60, 80, 100))
    choice = choose(tidy(table(curved)), [FORMS["linear"], FORMS["square"]])
    assert choice.best.form.name == "square"
    assert choice.notes[0].startswith(
        "linear is left out: without its bound the fixed cost would be -"
    )
    assert choice.notes[0].endswith("add 0 or fewer clients to --clients")


def test_when_every_form_is_left_out_there_is_no_model() -> None:
    curved = "\n".join(f"{s} 8 {0.002 * s * s:.4f}" for s in (20, 40, 60, 80, 100))
    with pytest.raises(FitError, match="linear is left out: without its bound"):
        choose(tidy(table(curved)), [FORMS["linear"]])


@pytest.mark.parametrize(
    "cells",
    ["0 8 1\n10 8 1.01\n50 8 0.99\n100 8 1\n200 8 1.02", "0 8 9\n10 8 8\n50 8 7\n100 8 5\n200 8 4"],
    ids=["flat", "falling"],
)
def test_flat_or_falling_data_have_no_finite_limit(cells: str) -> None:
    found = ceiling(fitted(cells), 50.0)
    assert (found.status, found.clients) == (Status.UNLIMITED, None)
    assert found.note.startswith("no finite limit in these data, tested up to S = 200")
    assert str(found).startswith("by the constant form; ")


def test_rows_of_two_runs_are_not_one_run() -> None:
    once = table("0 8 0.1\n10 8 1\n50 8 5\n100 8 10").assign(repeat=0)
    with pytest.raises(FitError, match="repeat 0 of all S=0 R=8 is there twice: rows of two runs"):
        fit(pd.concat([once, once]))


def test_two_arms_are_not_fitted_as_one() -> None:
    cells = table("0 8 0.1\n10 8 1\n50 8 5\n100 8 10")
    both = pd.concat([cells.assign(arm="None"), cells.assign(arm="NA")])
    with pytest.raises(
        FitError, match="one arm is fitted at a time, and these are there: None, NA"
    ):
        fit(both)
    assert fit(both, arm="NA").arm == "NA"


def test_a_refusal_known_beforehand_leaves_the_laws_and_no_number() -> None:
    cells = tidy(table("0 8 0.1\n10 8 1\n50 8 5\n100 8 10"))
    arm = analyse(cells, refusal="measured on unlike machines").arms[0]
    assert (arm.model, arm.ceilings, arm.refusal) == (None, (), "measured on unlike machines")
    assert arm.laws


def test_further_than_three_times_the_measured_clients_is_refused_unless_asked_for() -> None:
    model = fitted("0 8 0.1\n10 8 0.2\n50 8 0.6\n100 8 1.1")
    found = ceiling(model, 50.0)
    assert (found.status, found.clients, found.at_least) == (Status.REFUSED, None, 300)
    assert str(found).startswith("at least 300 clients")
    asked = ceiling(model, 50.0, extrapolate=True)
    assert asked.clients == pytest.approx(4990, abs=5)
    assert "beyond 3x the measured S = 100, unsupported" in asked.note


def test_rows_that_were_not_measured_around_have_no_ceiling() -> None:
    model = fitted("0 8 0.1\n10 8 1\n50 8 5\n0 64 0.1\n10 64 8\n50 64 40")
    with pytest.raises(FitError, match="which number of rows"):
        ceiling(model, 50.0)
    with pytest.raises(FitError, match="256 rows are outside the measured 8 to 64"):
        ceiling(model, 50.0, rows=256)
    assert ceiling(model, 50.0, rows=32).clients is not None


def test_a_missing_column_is_named() -> None:
    with pytest.raises(FitError, match="the column write_ms is missing"):
        fit(pd.DataFrame({"clients": [1], "rows": [1]}))
