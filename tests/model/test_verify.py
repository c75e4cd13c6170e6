"""A ceiling held against the cell measured there."""

from __future__ import annotations

import pandas as pd
import pytest

from analyzer.errors import FitError
from analyzer.model.analysis import Analysis, analyse
from analyzer.model.verify import cells_to_verify, verify
from analyzer.records import Cell
from tests.model.frames import bilinear, frame


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    flat = frame(lambda s, g: 0.04, arm="projection", seeks=lambda s, g: 2, calls=lambda s, g: 0)
    return analyse(pd.concat([frame(), flat]))


def test_the_cells_to_run_stand_at_the_finite_ceilings(analysis: Analysis) -> None:
    assert cells_to_verify(analysis) == (
        Cell("lobby", "per_sender", 92, 64),
        Cell("lobby", "per_sender", 24, 256),
        Cell("lobby", "per_sender", 6, 1000),
    )


def test_a_cost_as_foretold_puts_the_crossing_just_above_the_ceiling(analysis: Analysis) -> None:
    found = verify(analysis, Cell("lobby", "per_sender", 92, 64), bilinear(92, 64))
    assert found.predicted_ms == pytest.approx(bilinear(92, 64), rel=1e-3)
    assert found.crossing == pytest.approx(92.2, abs=0.1)
    assert found.miss == pytest.approx(0, abs=0.01)


def test_a_higher_cost_says_by_how_much_the_ceiling_is_too_high(analysis: Analysis) -> None:
    found = verify(analysis, Cell("lobby", "per_sender", 92, 64), 1.2 * bilinear(92, 64))
    assert found.crossing == pytest.approx(92.2 / 1.2, rel=0.01)
    assert str(found).endswith(
        "the budget of 50 ms is reached near S=77, the ceiling is 20 % too high"
    )


def test_a_cell_near_the_ceiling_tells_of_it_too(analysis: Analysis) -> None:
    found = verify(analysis, Cell("lobby", "per_sender", 80, 64), 1.2 * bilinear(80, 64))
    assert found.ceiling == 92
    assert found.crossing == pytest.approx(92.2 / 1.2, rel=0.01)
    assert found.miss == pytest.approx(0.2, abs=0.01)


def test_rows_without_a_ceiling_and_a_cost_that_is_none_are_refused(analysis: Analysis) -> None:
    with pytest.raises(FitError, match="S=50 R=8 is at no ceiling"):
        verify(analysis, Cell("lobby", "per_sender", 50, 8), 30.0)
    with pytest.raises(FitError, match="has no cost"):
        verify(analysis, Cell("lobby", "per_sender", 92, 64), float("nan"))
