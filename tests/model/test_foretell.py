"""Trained on few clients: how well the cells of more are foretold."""

from __future__ import annotations

import json

import pytest

from analyzer.errors import FitError
from analyzer.model.foretell import foretell
from analyzer.report.foretold import foresight_content
from analyzer.report.markdown import render_markdown
from tests.model.frames import bilinear, frame

CLIENTS = (0, 10, 25, 50, 100, 200, 400)


def merging(s: int, g: int) -> float:
    return bilinear(s, g) + 8e-6 * s * s * (4 * g + 1)


def test_a_planted_merge_is_foretold_and_the_bilinear_form_beside_it_is_not() -> None:
    planted = frame(merging, clients=CLIENTS, rows=(8, 64), noise=0.03)
    found = foretell(planted, 100)
    assert found.training == "10 cells, S = 0, 10, 25, 50, 100 at G = 8, 64"
    assert [(cell.clients, cell.rows) for cell in found.cells] == [
        (200, 8), (200, 64), (400, 8), (400, 64)
    ]  # fmt: skip
    assert found.error < 0.1
    assert all(cell.inside for cell in found.cells)
    assert all(cell.bilinear_error < -0.15 for cell in found.cells)


def test_what_is_held_out_has_no_say_in_the_training() -> None:
    planted = frame(merging, clients=CLIENTS, rows=(8, 64), noise=0.03)
    changed = planted.copy()
    changed.loc[changed["clients"] > 100, "write_ms"] *= 3
    before, after = foretell(planted, 100), foretell(changed, 100)
    for one, other in zip(before.cells, after.cells, strict=True):
        assert one.foretold_ms == other.foretold_ms
        assert other.error == pytest.approx((1 + one.error) / 3 - 1)
        assert other.inside is False


def test_one_repeat_foretells_without_an_interval() -> None:
    found = foretell(frame(merging, clients=CLIENTS, repeats=1), 100)
    assert {cell.inside for cell in found.cells} == {None}
    assert "inside" not in render_markdown(foresight_content([found], []))


def test_the_report_and_the_json_hold_every_cell_that_was_held_out() -> None:
    found = foretell(frame(merging, clients=CLIENTS, rows=(8, 64), noise=0.03), 100)
    page = render_markdown(foresight_content([found], ["anonymous: too few cells"]))
    assert "trained on 10 cells" in page
    assert "4 of 4 measured costs are inside their interval" in page
    assert "anonymous: too few cells" in page
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [cell["clients"] for cell in data["foretold"]] == [200, 200, 400, 400]
    assert data["foretold"][0]["inside"] is True


def test_with_nothing_beyond_there_is_nothing_to_foretell() -> None:
    with pytest.raises(FitError, match="no cell has more than 100 clients"):
        foretell(frame(), 100)
