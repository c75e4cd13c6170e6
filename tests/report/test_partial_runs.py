"""Runs that are not whole: void, unfinished, or both; in words and in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.plan import Plan
from analyzer.store import RunWriter
from tests.command import error_line, stdb_sweep
from tests.factory import steps, windows

PLAN = Plan(scenario="lobby", arms=("per_sender",), clients=(0, 10, 20, 40), rows=(8,), repeats=2)
REASON = "9 of 10 writes committed"


def written(path: Path, count: int | None = None, *, void: tuple[int, ...] = ()) -> Path:
    """The first `count` steps of `PLAN`, those numbered `void` with a reason."""
    path.mkdir()
    writer = RunWriter.create(path, {"plan": PLAN.to_dict(), "seed": 1})
    for number, step in enumerate(steps(PLAN)[:count]):
        bad = {"verdict": "void", "reasons": (REASON,)} if number in void else {}
        writer.append(windows(step, **bad), [], step)
    return path


def report(run: Path, *more: str, verb: str = "report") -> tuple[str, dict[str, Any], str]:
    """What a verb prints, its JSON, and its last word on stderr."""
    told = stdb_sweep(verb, run, *more, cwd=run.parent)
    document = stdb_sweep(verb, run, *more, "--json", cwd=run.parent)
    last = error_line(told) if told.stderr else ""
    assert told.returncode == document.returncode == (3 if "void" in last else 0), told.stderr
    return " ".join(told.stdout.split()), json.loads(document.stdout), last


def test_void_repeats_are_in_the_json_with_cell_and_reason(tmp_path: Path) -> None:
    text, document, last = report(written(tmp_path / "run", void=(1,)))
    assert document["void"] == [
        {"scenario": "lobby", "arm": "per_sender", "clients": 10, "rows": 8, "repeat": 0,
         "control": False, "reason": REASON}
    ]  # fmt: skip
    assert document["steps"] == {"finished": 9, "planned": 9}
    assert f"per_sender S=10 G=8, 1 repeat: {REASON}" in text
    assert last.endswith("void repeats: 1 of 8; the report says why")


def test_a_cell_is_void_when_none_of_its_repeats_is_whole(tmp_path: Path) -> None:
    _, _, last = report(written(tmp_path / "run", void=(1, 5)))
    assert last.endswith("void cells: 1 of 4, void repeats: 2 of 8; the report says why")


def test_a_void_drift_control_alone_is_said_and_is_in_the_json(tmp_path: Path) -> None:
    text, document, last = report(written(tmp_path / "run", void=(8,)))
    assert [(v["control"], v["reason"]) for v in document["void"]] == [(True, REASON)]
    assert f"Void: the drift control drift control, per_sender S=10 G=8: {REASON}" in text
    assert last.endswith("void drift control; the report says why")


def test_too_few_cells_are_put_down_to_void_ones_where_there_are_any(tmp_path: Path) -> None:
    text, _, _ = report(written(tmp_path / "run", void=(1, 2, 3, 5, 6, 7)))
    assert "needs 2 client counts above 0, has 0: 3 cells are void" in text
    assert "add one to --clients" not in text


@pytest.mark.parametrize("verb", ["report", "review"])
def test_an_unfinished_run_says_how_far_it_is(tmp_path: Path, verb: str) -> None:
    text, document, _ = report(written(tmp_path / "run", 2), verb=verb)
    assert "2 of 9 steps measured; the same command goes on" in text
    assert document["steps"] == {"finished": 2, "planned": 9}
    assert document["unfinished"] == "2 of 9 steps measured; the same command goes on"
    assert "add one to --clients" not in text


def test_a_run_without_a_client_yet_is_no_review(tmp_path: Path) -> None:
    done = stdb_sweep("review", written(tmp_path / "run", 1), cwd=tmp_path)
    assert error_line(done).endswith("no finished cell has clients: there is nothing to review yet")


def test_a_fit_to_an_unfinished_run_says_so_as_well(tmp_path: Path) -> None:
    done = stdb_sweep("fit", written(tmp_path / "run", 1), cwd=tmp_path)
    assert "has 0: 1 of 9 steps measured; the same command goes on" in error_line(done)


def test_ceilings_of_an_unfinished_run_say_so_as_well(tmp_path: Path) -> None:
    text, document, _ = report(written(tmp_path / "run", 8), "--budget", "5ms", verb="ceiling")
    assert "Unfinished 8 of 9 steps measured; the same command goes on" in text
    assert document["unfinished"] == "8 of 9 steps measured; the same command goes on"
