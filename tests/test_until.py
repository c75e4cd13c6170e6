"""`--until`: as many repeats as it takes, and the same end after an interruption."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from analyzer.errors import UsageError
from analyzer.plan import Plan
from analyzer.store import RunWriter, find_run, load_run
from analyzer.until import repeats_needed, suffices
from tests.command import stdb_sweep
from tests.factory import noisy_run, steps, windows

PLAN = Plan(
    scenario="lobby", arms=("per_sender", "anonymous"), clients=(0, 10), rows=(8, 64),
    repeats=6, until=0.05,
)  # fmt: skip


def measured(path: Path, repeats: int, plan: Plan = PLAN) -> Path:
    """A run with the first `repeats` repeats and the control, all of them alike."""
    path.mkdir(parents=True)
    writer = RunWriter.create(path, {"plan": plan.to_dict(), "seed": 1, "sittings": []})
    for step in steps(plan):
        if step.block.repeat < repeats:
            writer.append(windows(step), [], step)
    return path


def test_repeats_that_agree_are_enough_from_the_third_on(tmp_path: Path) -> None:
    whole, short = (load_run(measured(tmp_path / str(n), n)) for n in (3, 2))
    assert (repeats_needed(whole), whole.complete) == (3, True)
    assert not suffices(short, 2)
    assert not short.complete


def test_repeats_that_scatter_go_on_to_the_most(tmp_path: Path) -> None:
    strict = load_run(noisy_run(tmp_path / "run", 1, replace(PLAN, until=0.001)))
    assert repeats_needed(strict) == 6
    assert strict.complete


def test_how_many_it_takes_follows_from_what_lies_there(tmp_path: Path) -> None:
    loose = load_run(noisy_run(tmp_path / "run", 1, replace(PLAN, until=0.5)))
    needed = repeats_needed(loose)
    assert 3 <= needed < 6
    cut = replace(loose, observations=tuple(o for o in loose.observations if o.repeat < needed))
    assert (repeats_needed(cut), cut.complete) == (needed, True)


def test_a_run_that_had_enough_is_not_taken_up_again(tmp_path: Path) -> None:
    measured(tmp_path / "runs" / "run", 3)
    assert find_run(PLAN, tmp_path / "runs") is None
    measured(tmp_path / "other" / "run", 2)
    assert find_run(PLAN, tmp_path / "other") is not None


def test_the_rule_is_part_of_the_plan_and_plans_without_it_are_as_before() -> None:
    assert Plan.from_dict(PLAN.to_dict()) == PLAN
    assert "until" not in replace(PLAN, until=None).to_dict()


@pytest.mark.parametrize("changed", [{"until": 0.0}, {"until": 1.0}, {"repeats": 3}])
def test_a_rule_that_says_nothing_is_refused(changed: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="--until takes a percentage"):
        replace(PLAN, **changed)  # type: ignore[arg-type]


def test_a_sweep_stops_as_soon_as_it_knows_enough(tmp_path: Path) -> None:
    words = ["--clients", "2", "--rooms", "2", "--arms", "anonymous", "--until", "99%"]
    done = stdb_sweep(
        *words, "--repeats", "40", "--writes", "20", "--windows", "1", "--out", "run", cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    run = load_run(tmp_path / "run")
    needed = repeats_needed(run)
    assert {o.repeat for o in run.observations} == set(range(needed))
    assert run.complete
    assert any(o.control for o in run.observations)
    assert f"{needed} repeats are enough for --until" in done.stderr
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["plan"]["until"] == 0.99
