"""The commit fitted by itself: when it is, what it tells, and how its noise is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from analyzer.errors import FitError
from analyzer.model.axis import row_axis
from analyzer.model.bootstrap import bootstrap
from analyzer.model.by_parts import AT, GROWTH, fit_by_parts
from analyzer.model.cells import samples
from analyzer.model.fit import design
from analyzer.model.model import fit_arm
from tests.model.frames import bilinear, frame

CLIENTS = (0, 10, 25, 50, 75, 100)
PER_KEY_NS = {8: 2.0, 64: 4.0, 256: 5.0}


def commit(s: int, g: int) -> float:
    """As measured on a quiet machine: small up to 100 clients, most of the cost beyond."""
    merge = 1e-6 * PER_KEY_NS[g] * (4 * g + 1) * s**2 * (s / AT) ** GROWTH
    return 0.005 + (s > 0) * 5e-4 * g + s * (0.003 + 2e-4 * g) + merge


def whole(s: int, g: int) -> float:
    return bilinear(s, g) + commit(s, g)


def test_the_coefficients_of_both_parts_come_back() -> None:
    data = samples(frame(whole, commit=commit, clients=CLIENTS, rows=PER_KEY_NS))
    fit = fit_by_parts(data)
    merges = [1e-6 * ns * (4 * g + 1) for g, ns in PER_KEY_NS.items()]
    assert fit.coefficients == pytest.approx(
        [0.025, 0.03, 0.008, 0.005, 5e-4, 0.003, 2e-4, *merges], rel=1e-6
    )
    assert fit.predict(400, 64) == pytest.approx(whole(400, 64), rel=1e-6)
    assert fit.relative_rms < 1e-9
    assert "S^2*(S/100)^0.1*[G=64]" in fit.form.formula(row_axis("lobby"))


def test_the_sum_of_the_terms_is_the_sum_of_the_parts() -> None:
    fit = fit_by_parts(samples(frame(whole, commit=commit, clients=CLIENTS, rows=PER_KEY_NS)))
    together = design(fit.form, fit.data) @ np.array(fit.coefficients)
    assert together == pytest.approx(sum(part.predicted for part in fit.parts))


def test_it_is_chosen_where_the_sum_hides_the_merge() -> None:
    cells = {"clients": CLIENTS, "rows": (8, 64), "noise": 0.02}
    apart = fit_arm(frame(whole, commit=commit, **cells))
    hidden = fit_arm(frame(whole, **cells))
    assert apart.choice.best.form.name == "by parts"
    assert "by parts" not in [c.name for c in hidden.choice.ranked]
    for g in (8, 64):
        missed, blind = (abs(m.predict(400, g) / whole(400, g) - 1) for m in (apart, hidden))
        assert missed < 0.1
        assert missed < blind


def test_an_unknown_commit_or_one_above_the_cost_is_no_part_of_it() -> None:
    planted = frame(whole, commit=commit, clients=CLIENTS, rows=(8, 64))
    for wrong in (float("nan"), 0.0, 1e6):
        broken = planted.copy()
        broken.loc[3, "commit_ms"] = wrong
        with pytest.raises(FitError, match="what the commit takes was not measured by itself"):
            fit_by_parts(samples(broken))
        assert "by parts" not in [c.name for c in fit_arm(broken).choice.ranked]


def test_five_row_counts_are_too_many_for_a_merge_of_their_own() -> None:
    rows = (8, 16, 32, 64, 128)
    planted = frame(commit=lambda s, g: 0.001, clients=CLIENTS, rows=rows)
    with pytest.raises(FitError, match="5 row counts: at most 4"):
        fit_by_parts(samples(planted))


def test_one_row_count_is_enough_and_between_two_it_is_interpolated() -> None:
    one = fit_by_parts(samples(frame(whole, commit=commit, clients=CLIENTS, rows=(64,))))
    assert one.predict(400, 64) == pytest.approx(whole(400, 64), rel=1e-6)
    two = fit_by_parts(samples(frame(whole, commit=commit, clients=CLIENTS, rows=(8, 64))))
    ends = two.predict(200, 8), two.predict(200, 64)
    assert two.predict(200, 36) == pytest.approx(sum(ends) / 2)


def test_what_a_commit_costs_without_clients_is_told_only_by_cells_without_them() -> None:
    fit = fit_by_parts(samples(frame(whole, commit=commit, clients=CLIENTS[1:], rows=(8, 64))))
    assert [term.name for term in fit.form.terms].count("commit fixed") == 0
    assert fit.predict(400, 64) == pytest.approx(whole(400, 64), rel=0.01)


def test_a_slow_repeat_is_slow_in_both_parts() -> None:
    """Drawn apart, the noise of the parts would cancel, and the sum be known too well."""
    slow = frame(whole, commit=commit, clients=CLIENTS, rows=(8, 64))
    for name in ("write_ms", "commit_ms"):
        slow[name] *= 0.8 + 0.2 * slow["repeat"]
    fit = fit_by_parts(samples(slow))
    drawn = bootstrap(fit).coefficients
    assert drawn is not None
    assert len(drawn.T) == len(fit.coefficients)
    costs = design(fit.form, fit.data) @ drawn.T
    assert costs.std(axis=1) / costs.mean(axis=1) == pytest.approx(0.2 / np.sqrt(3), rel=0.1)
