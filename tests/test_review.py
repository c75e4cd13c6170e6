"""The decision page: which design to ship, on times from a plain rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.errors import UsageError
from analyzer.frames import repeats_frame
from analyzer.model.analysis import analyse
from analyzer.plan import Plan
from analyzer.report.markdown import render_markdown
from analyzer.report.reviewed import build_review
from analyzer.review import Review, review
from analyzer.scenarios import LOBBY
from tests import factory
from tests.command import error_line, stdb_sweep


def reviewed(
    *arms: str, budget_ms: float = 50.0, at: tuple[int, int] | None = None, **void: str
) -> Review:
    """3 us a seek, as `tests.factory` has it; `void` is the reason by arm, at 100 clients."""
    plan = Plan(scenario="lobby", arms=arms, clients=(0, 10, 50, 100), rows=(8, 64, 256))
    seen = []
    for step in factory.steps(plan):
        if step.block.control:
            continue
        reason = void.get(step.cell.arm) if step.clients == 100 else None
        changed: dict[str, Any] = {"verdict": "void", "reasons": (reason,)} if reason else {}
        seen += factory.windows(step, **changed)
    frame = repeats_frame(seen, LOBBY)
    return review(frame, analyse(frame, budget=budget_ms, draws=50), LOBBY, at)


def page(found: Review) -> str:
    return render_markdown(build_review(found)).replace("\\", "")


def test_beyond_the_budget_it_moves_to_the_cheapest_that_shows_the_same_rows() -> None:
    found = reviewed("per_sender", "anonymous", "split", "projection")
    assert (found.clients, found.rows) == (100, 256)
    assert found.choice is found.design("projection")
    told = page(found)
    assert "move to projection: " in told
    assert "split is within 50.0 ms as well" in told
    assert "102,501 index seeks a write, by the exact law S*(4*G+1)+1" in told
    assert "projection: add lobby_projection and my_practice_room; every reducer" in told
    assert "in its place disconnects everyone" in told


def test_within_the_budget_what_there_is_may_stay() -> None:
    found = reviewed("per_sender", "projection", at=(10, 8))
    assert found.choice is found.design("per_sender")
    assert "per_sender may ship: 1.03 ms a write, within 50.0 ms" in page(found)


def test_a_cheaper_design_that_shows_other_rows_is_named_but_not_chosen() -> None:
    found = reviewed("per_sender", "parameterized")
    assert found.choice is None
    told = page(found)
    assert "per_sender may not ship" in told
    assert "parameterized costs" in told
    assert "was not seen to show the same rows" in told


def test_a_void_cell_has_no_cost_and_takes_no_part() -> None:
    found = reviewed("per_sender", "split", "projection", projection="client 0 holds 2 rows")
    assert found.design("projection").write_ms is None
    assert found.choice is found.design("split")
    assert "projection: no cost: client 0 holds 2 rows" in page(found)


def test_a_size_that_was_not_measured_is_predicted_and_says_so() -> None:
    found = reviewed("per_sender", "projection", at=(80, 100))
    assert found.design("per_sender").predicted
    assert found.design("per_sender").seeks == 80 * 401 + 1
    assert "(predicted)" in page(found)
    with pytest.raises(UsageError, match="--at 0,8"):
        reviewed("per_sender", at=(0, 8))


def test_a_module_of_ones_own_is_measured_and_reviewed_from_its_sweep_file(
    tmp_path: Path, strange_modules: dict[str, Path]
) -> None:
    text = (Path(__file__).parent / "modules/auction/auction.toml").read_text()
    module = f"module = '{strange_modules['auction']}'"
    (tmp_path / "own.toml").write_text(text.replace('module = "auction.wasm"', module))
    done = stdb_sweep("review", "own.toml", "--arms", "per_sender,shared", "--out", "run",
                      cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "per_sender may ship" in told
    assert "shared: add front_page_shared" in told
    assert (tmp_path / "run" / "review.md").is_file()

    again = stdb_sweep("review", "run", "--json", cwd=tmp_path)
    found = json.loads(again.stdout)
    assert (found["clients"], found["rows"], found["choice"]) == (5, 8, "per_sender")
    designs = {design["arm"]: design for design in found["designs"]}
    assert (designs["per_sender"]["seeks"], designs["shared"]["seeks"]) == (21, 5)
    assert designs["shared"]["same_rows"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("nowhere", "nowhere"),
        ("--clients 10", "--rooms"),
        ("--clients 10 --rooms 8 --at 100", "--at '100': write clients and rows"),
        ("--clients 10 --rooms 8 --at 1,x", "'x'"),
    ],
)
def test_a_review_of_nothing_is_one_line(tmp_path: Path, arguments: str, told: str) -> None:
    done = stdb_sweep("review", *arguments.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert told in error_line(done)
