"""`noise`: what a run could have seen, and `--dry-run`: what it would take."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from analyzer.estimate import estimate
from analyzer.noise import noise
from analyzer.plan import Plan
from analyzer.store import load_run
from tests.command import stdb_sweep
from tests.factory import NOISY, noisy_run, steps

ARTICLE = Plan(
    scenario="lobby", arms=("per_sender", "anonymous"), clients=(0, 10, 50, 100),
    rows=(8, 64, 256, 1000),
)  # fmt: skip


def test_more_repeats_see_smaller_changes(tmp_path: Path) -> None:
    few, many = (
        noise(load_run(noisy_run(tmp_path / str(n), 1, replace(NOISY, repeats=n))))[0]
        for n in (3, 12)
    )
    assert few.over_all is not None
    assert many.over_all is not None
    assert many.over_all.change < few.over_all.change
    assert all(cell.change > many.over_all.change for cell in many.cells)
    assert len(few.repeats) == 3
    assert few.halves is None
    assert many.halves is not None
    assert many.halves.low < 1 < many.halves.high


def test_the_page_gives_the_answer_first(tmp_path: Path) -> None:
    noisy_run(tmp_path / "run", 1)
    done = stdb_sweep("noise", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "per_sender\n  the smallest change that compare sees in 4 of 5 cases:" in done.stdout


def test_one_repeat_says_why_nothing_is_known(tmp_path: Path) -> None:
    noisy_run(tmp_path / "run", 1, replace(NOISY, repeats=1))
    done = stdb_sweep("noise", "run", "--json", cwd=tmp_path)
    first = json.loads(done.stdout)[0]
    assert first["reason"] == "no interval: one repeat; use --repeats 3 or more"
    assert first["over_all"] is None


def test_a_dry_run_lists_every_step_in_order_and_leaves_nothing_behind(tmp_path: Path) -> None:
    words = ("--clients", "10,50", "--rooms", "8,64", "--repeats", "2")
    done = stdb_sweep(*words, "--dry-run", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    plan = Plan(
        scenario="lobby", arms=("per_sender", "anonymous"), clients=(0, 10, 50), rows=(8, 64),
        repeats=2,
    )  # fmt: skip
    listed = [(s["arm"], s["rows"], s["clients"]) for s in json.loads(done.stdout)["steps"]]
    assert listed == [(s.cell.arm, s.cell.rows, s.clients) for s in steps(plan)]
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_says_that_it_only_estimates(tmp_path: Path) -> None:
    done = stdb_sweep("--clients", "10", "--rooms", "8", "--dry-run", cwd=tmp_path)
    assert "estimated:" in done.stdout
    assert "nothing was measured" in " ".join(done.stdout.split())


def test_the_estimate_of_a_recorded_run_is_right_within_a_factor_of_two() -> None:
    """docs/measuring.md: it took 88 s, and 290 MB in engine and tool at 100 clients."""
    found = estimate(ARTICLE)
    assert 44 < found.total_s < 176
    assert 145 < found.memory_mib < 580


def test_the_estimate_grows_with_all_that_takes_longer() -> None:
    plain = estimate(ARTICLE).total_s
    for longer in ({"repeats": 4}, {"windows": 4}, {"rate": 2.0}, {"clients": (0, 100, 200)}):
        assert estimate(replace(ARTICLE, **longer)).total_s > plain, longer  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "repeats", "windows"),
    [
        ([], 3, 4),
        (["--fast"], 2, 1),
        (["--rigorous"], 7, 3),
        (["--fast", "--repeats", "5"], 5, 1),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_presets_win_over_the_file_and_flags_over_presets(
    tmp_path: Path, words: list[str], repeats: int, windows: int, first: bool
) -> None:
    (tmp_path / "sweep.toml").write_text("clients = [10]\nrooms = [8]\nwindows = 4\n")
    order = [*words, "sweep.toml"] if first else ["sweep.toml", *words]
    done = stdb_sweep("run", *order, "--arms", "anonymous", "--dry-run", "--json", cwd=tmp_path)
    found = json.loads(done.stdout)["steps"]
    assert len(found) == 2 * repeats + 1
    seconds = found[0]["estimated_s"]
    fixed, each = 0.4, 0.0013 * (1 if "--fast" in words else 5 if "--rigorous" in words else 2)
    assert seconds == pytest.approx(fixed + each + windows * 0.13, abs=0.02)
