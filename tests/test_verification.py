"""Ceilings measured: a small run each beside the sweep's own cells, which stay as they are."""

from __future__ import annotations

import json
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from analyzer.environment import provenance
from analyzer.errors import RunError, UsageError
from analyzer.model.verify import cells_to_verify
from analyzer.plan import Plan
from analyzer.results import analyse_run, write_results
from analyzer.store import Run, RunWriter, check_agrees, load_run
from analyzer.target import Server
from analyzer.verification import folder_of, plan_at, read_verification, unverified_run
from analyzer.verifier import MOST_CLIENTS, check_verifiable
from tests.command import COMMAND, stdb_sweep, wait_for_observations
from tests.factory import steps, windows

PLAN = Plan(
    scenario="lobby", arms=("per_sender",), clients=(0, 10, 50, 100), rows=(64, 128), repeats=2
)
VERIFY = {"budget_ms": 50.0, "verify": True}
ON_ENGINE = ("--clients", "10,50,100", "--rooms", "64,128", "--arms", "per_sender", "--repeats",
             "2", "--writes", "3", "--subscribers", "engine", "--verify", "--out",
             "run")  # fmt: skip


def planted(path: Path, plan: Plan, *, times: float = 1.0, **manifest: object) -> Run:
    """A complete run whose costs follow the factory's rule, `times` over."""
    path.mkdir(parents=True)
    writer = RunWriter.create(path, {"plan": plan.to_dict(), "seed": 1} | manifest)
    for step in steps(plan):
        whole = [
            replace(o, reducer_ms=o.reducer_ms * times, update_ms=o.update_ms * times)
            for o in windows(step)
        ]
        writer.append(whole, [], step)
    return load_run(path)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return planted(tmp_path / "run", PLAN)


def test_a_ceiling_is_measured_beside_the_nearest_cell_below_it(run: Run) -> None:
    analysis, _ = analyse_run(run)
    ceiling = cells_to_verify(analysis)[0]
    plan = plan_at(run, ceiling)
    assert plan.clients == (50, ceiling.clients)
    assert (plan.arms, plan.rows, plan.repeats) == (("per_sender",), (64,), 2)
    assert plan_at(run, ceiling, repeats=9).repeats == 9


def test_a_slower_machine_is_told_from_a_wrong_model(run: Run) -> None:
    analysis, _ = analyse_run(run)
    for cell in cells_to_verify(analysis):
        planted(folder_of(run, cell), plan_at(run, cell), times=1.3)
    again, content = analyse_run(run)
    assert again.verification is not None
    assert [item.cell.rows for item in again.verification.found] == [64, 128]
    for item in again.verification.found:
        assert item.drift == pytest.approx(1.3)
        assert item.miss == pytest.approx(0.3, abs=0.03)
        assert item.miss_without_drift == pytest.approx(0, abs=0.02)
    assert "Ceilings measured" in [section.title for section in content.sections]
    assert again.arms[0].model is not None
    assert again.arms[0].model.choice.best.n == 8


def test_a_ceiling_that_was_not_measured_is_named(run: Run) -> None:
    analysis, _ = analyse_run(run)
    assert read_verification(run, analysis) is None
    (run.path / "verify").mkdir()
    found = read_verification(run, analysis)
    assert found is not None
    assert found.found == ()
    assert len(found.missing) == 2
    assert all("it was not measured" in text for text in found.missing)


def test_a_cell_measured_for_a_ceiling_that_moved_a_little_still_tells_of_it(run: Run) -> None:
    analysis, _ = analyse_run(run)
    one, other = cells_to_verify(analysis)
    near = replace(one, clients=one.clients - 5)
    far = replace(other, clients=2 * other.clients)
    for cell in (replace(near, clients=near.clients - 5), near, far):
        planted(folder_of(run, cell), plan_at(run, cell))
    found = read_verification(run, analysis)
    assert found is not None
    (told,) = found.found
    assert (told.cell, told.ceiling) == (near, one.clients)
    assert told.miss == pytest.approx(0, abs=0.03)
    assert found.missing == (f"{other} is not verified: it was not measured",)


def test_what_cannot_be_read_beside_a_measured_ceiling_is_left_alone(run: Run) -> None:
    analysis, _ = analyse_run(run)
    one, other = cells_to_verify(analysis)
    for cell in (one, other):
        planted(folder_of(run, cell), plan_at(run, cell))
    foreign = run.path / "verify" / f"{one.arm}-s7-r{one.rows}"
    foreign.mkdir()
    for folder in (foreign, folder_of(run, other)):
        (folder / "manifest.json").write_text("{torn")
    found = read_verification(run, analysis)
    assert found is not None
    assert [item.cell for item in found.found] == [one]
    assert found.missing[0].startswith(f"{other} is not verified: ")
    assert "cannot be read" in found.missing[0]
    assert stdb_sweep("report", str(run.path), cwd=run.path).returncode == 0


def test_a_void_cell_measured_for_a_ceiling_ends_with_3_and_says_where(run: Run) -> None:
    analysis, _ = analyse_run(run)
    cell = cells_to_verify(analysis)[0]
    small = planted(folder_of(run, cell), plan_at(run, cell))
    assert stdb_sweep("report", str(run.path), cwd=run.path).returncode == 0
    lines = (small.path / "observations.jsonl").read_text().splitlines()
    at = next(n for n, line in enumerate(lines) if '"clients": 50,' in line)
    broken = json.loads(lines[at]) | {"verdict": "void", "reasons": ["a write too few"]}
    lines[at] = json.dumps(broken)
    (small.path / "observations.jsonl").write_text("\n".join(lines) + "\n")
    told = stdb_sweep("report", str(run.path), cwd=run.path)
    assert told.returncode == 3
    assert f"void repeats: 1 of 4; stdb-sweep report {small.path} says why" in told.stderr


def test_only_a_complete_run_that_asked_for_it_is_gone_on_with(tmp_path: Path) -> None:
    root = tmp_path / "runs"
    assert unverified_run(PLAN, None, root) is None
    planted(root / "1-without", PLAN)
    assert unverified_run(PLAN, None, root) is None
    due = planted(root / "2-due", PLAN, analysis=VERIFY)
    found = unverified_run(PLAN, None, root)
    assert found is not None
    assert found.path == due.path
    assert unverified_run(replace(PLAN, repeats=3), None, root) is None
    write_results(due, *analyse_run(due))
    assert unverified_run(PLAN, None, root) is not None
    (due.path / "verified.csv").write_text("")
    assert unverified_run(PLAN, None, root) is None
    assert unverified_run(PLAN, root / "1-without", root) is not None


def test_another_engine_or_an_existing_database_verifies_nothing(run: Run) -> None:
    with pytest.raises(RunError, match="its engine differs"):
        check_agrees(run, run.manifest | {"engine": {"version": "9"}}, ("engine",))
    own = replace(
        PLAN.definition, database="shop", arms=PLAN.definition.arms, default_arms=("per_sender",)
    )
    with pytest.raises(UsageError, match="fresh databases"):
        check_verifiable(replace(PLAN, own=own, rows=(8,), repeats=1))
    assert MOST_CLIENTS >= 1000


def test_an_interrupted_verification_goes_on_with_the_same_command(
    tmp_path: Path, engine: Server, lobby_wasm: bytes
) -> None:
    plan = replace(PLAN, subscribers="engine", writes=3)
    run = planted(tmp_path / "run", plan, **provenance(engine, lobby_wasm))
    before = (run.path / "observations.jsonl").read_bytes()
    sweep = subprocess.Popen(
        [COMMAND, *ON_ENGINE], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        small = wait_for_observations(run.path / "verify", 2)
    finally:
        sweep.send_signal(signal.SIGKILL)
        sweep.communicate()
    assert (run.path / "ceilings.csv").is_file()
    assert not (run.path / "verified.csv").exists()

    done = stdb_sweep(*ON_ENGINE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Ceilings measured" in done.stdout
    assert (run.path / "observations.jsonl").read_bytes() == before
    assert load_run(small).complete
    assert load_run(small).manifest["verifies"] == "run"
    assert len((run.path / "verified.csv").read_text().splitlines()) == 3

    again = stdb_sweep("verify", "run", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "now over then" in again.stdout
