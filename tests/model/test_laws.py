"""Laws are proved, not fitted."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzer.model.axis import row_axis
from analyzer.model.laws import Law, Point, find_law, points
from analyzer.scenarios import SCENARIOS
from tests.model.frames import CLIENTS, ROOMS, Rule, frame, reference

LOBBY, TOURNAMENT = row_axis("lobby"), row_axis("tournament")


def law(rule: Rule, clients: tuple[int, ...] = CLIENTS, rows: tuple[int, ...] = ROOMS) -> Law:
    return find_law([Point(s, r, float(rule(s, r))) for s, r in product(clients, rows)], LOBBY)


@pytest.mark.parametrize("name", ["embedded-2.14.0-lobby", "server-2.8.3-lobby"])
def test_both_measured_servers_obey_the_published_law_in_all_16_cells(name: str) -> None:
    measured = reference(name)
    per_sender = find_law(points(measured[measured["arm"] == "per_sender"], "index_seeks"), LOBBY)
    anonymous = find_law(points(measured[measured["arm"] == "anonymous"], "index_seeks"), LOBBY)
    assert per_sender.formula(LOBBY) == "S*(4*G+1)+1"
    assert anonymous.formula(LOBBY) == "4*G+1 (S > 0), 1 (S = 0)"
    for found in (per_sender, anonymous):
        assert found.exact
        assert len(found.cells) == 16
        assert found.notes == ()
    assert per_sender.value(100, 1000) == 400_101


@pytest.mark.parametrize(
    ("rule", "formula"),
    [
        (lambda s, f: 2 * s + 1, "2*S+1"),
        (lambda s, f: 2 * s * f + 1, "2*S*F+1"),
        (lambda s, f: s, "S"),
        (lambda s, f: s * f, "S*F"),
        (lambda s, f: 2, "2"),
        (lambda s, f: 0, "0"),
        (lambda s, f: int(s > 0), "1 (S > 0), 0 (S = 0)"),
        (lambda s, f: s + (s > 0) + 1, "S+2 (S > 0), 1 (S = 0)"),
        (lambda s, f: 3 * s + 2 * f + 5, "3*S+2*F+5"),
    ],
)
def test_a_law_reads_as_a_formula(rule: Rule, formula: str) -> None:
    found = law(rule)
    assert found.exact
    assert found.formula(TOURNAMENT) == formula


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_law_of_every_declared_arm_is_found_and_is_the_only_one(scenario: str) -> None:
    for arm in SCENARIOS[scenario].arms:
        for rule in (arm.seeks, arm.view_calls, arm.rows_scanned):
            found = law(rule)
            assert found.exact
            assert found.notes == ()
            assert all(found.value(s, r) == rule(s, r) for s, r in product((0, 3, 7), (5, 11)))


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=6, max_size=6))
def test_any_planted_law_is_proved(c: list[int]) -> None:
    def rule(s: int, r: int) -> int:
        return c[0] + c[1] * s + c[2] * r + c[3] * s * r + (s > 0) * (c[4] + c[5] * r)

    found = law(rule)
    assert found.exact
    assert found.value(123, 456) == rule(123, 456)


def test_one_seek_too_many_in_one_cell_breaks_the_law_and_is_named() -> None:
    found = law(lambda s, g: s * (4 * g + 1) + 1 + (s == 50 and g == 256))
    assert not found.exact
    assert (found.residual, found.worst) == (1.0, (50, 256))
    assert found.notes == ("no exact law: the nearest misses by 1 at S=50 G=256",)
    assert found.formula(LOBBY) == "S*(4*G+1)+1"


@pytest.mark.parametrize("wrong", [(0, 4), (3, 4), (3, 9)])
def test_one_wrong_count_of_four_cells_makes_no_law_with_negative_terms(
    wrong: tuple[int, int],
) -> None:
    """Four terms through four cells always fit; a count that falls with S is no law for it."""
    found = law(lambda s, g: 999 if (s, g) == wrong else s * (4 * g + 1) + 1, (0, 3), (4, 9))
    assert not found.exact
    assert found.residual > 0
    assert found.coefficients is not None
    assert min(found.coefficients.values()) > 0


def test_a_count_between_whole_numbers_has_no_law() -> None:
    assert not law(lambda s, g: 2 * s + 0.5).exact


def test_repeats_that_differ_have_no_law() -> None:
    measured = frame()
    measured.loc[5, "index_seeks"] += 3
    found = find_law(points(measured, "index_seeks"), LOBBY)
    assert (found.exact, found.residual) == (False, 3.0)


def test_one_number_of_rooms_gives_the_simplest_law_and_says_others_fit() -> None:
    found = law(lambda s, g: s * (4 * g + 1) + 1, rows=(8,))
    assert found.exact
    assert found.formula(LOBBY) == "33*S+1"
    assert found.notes == (
        "other laws may fit too: only G = 8 was measured, add a value to --rooms",
    )


def test_one_client_count_says_others_fit() -> None:
    found = law(lambda s, g: s * (4 * g + 1) + 1, clients=(0, 10))
    assert found.exact
    assert "fewer than two S above 0 were measured, add a value to --clients" in found.notes[0]


def test_without_a_baseline_the_law_is_for_subscribers_only() -> None:
    found = law(lambda s, g: 4 * g + 1, clients=(10, 50))
    assert found.formula(LOBBY) == "4*G+1"
    assert found.notes == ("S = 0 was not measured, so the law is for S > 0",)


def test_void_cells_and_unknown_counts_take_no_part() -> None:
    measured = frame()
    measured.loc[3, ["index_seeks", "verdict"]] = [9e9, "void"]
    measured.loc[7, "index_seeks"] = float("nan")
    assert find_law(points(measured, "index_seeks"), LOBBY).exact


def test_nothing_counted_is_no_law_and_not_a_zero() -> None:
    found = find_law(points(frame(), "rows_scanned"), LOBBY)
    assert found.coefficients is None
    assert not found.exact
    assert found.formula(LOBBY) == "not counted"
    with pytest.raises(ValueError, match="no law"):
        found.value(1, 1)
