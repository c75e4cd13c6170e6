"""Batched NNLS against the textbook algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls as scipy_nnls

from analyzer.model.cells import Floats
from analyzer.model.nnls import nnls


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), terms=st.integers(1, 4), cells=st.integers(5, 20))
def test_every_row_agrees_with_scipys_active_set_search(seed: int, terms: int, cells: int) -> None:
    rng = np.random.default_rng(seed)
    design = rng.normal(size=(cells, terms)) * 10.0 ** rng.integers(-3, 4, size=terms)
    targets = rng.normal(size=(7, cells))
    for row, found in zip(targets, nnls(design, targets), strict=True):
        expected, error = scipy_nnls(design, row)
        assert (found >= 0).all()
        assert np.linalg.norm(design @ found - row) == pytest.approx(error, rel=1e-6, abs=1e-9)
        assert design @ found == pytest.approx(design @ expected, rel=1e-4, abs=1e-6)


def test_ten_thousand_refits_are_solved_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What makes them quick: all sets of columns in one product, not one search a target."""
    solved: list[tuple[int, ...]] = []
    pinv = np.linalg.pinv

    def counting(parts: Floats) -> Floats:
        solved.append(parts.shape)
        return pinv(parts)

    monkeypatch.setattr(np.linalg, "pinv", counting)
    rng = np.random.default_rng(1)
    nnls(rng.random((100, 4)), rng.random((10_000, 100)))
    assert solved == [(2**4, 4, 4)]


def test_a_column_that_adds_nothing_is_left_at_exactly_0() -> None:
    design = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]])
    found = nnls(design, np.array([[5.0, 5.0, 5.0], [5.0, 4.0, 3.0], [-1.0, -2.0, -3.0]]))
    assert found == pytest.approx(np.array([[5.0, 0.0], [4.0, 0.0], [0.0, 0.0]]))
    assert (found[:, 1] == 0).all()
