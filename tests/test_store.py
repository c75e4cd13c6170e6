"""The run directory: nothing finished is lost, nothing half is read (pitfall 24)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from analyzer.errors import RunError
from analyzer.folder import held, new_run_path
from analyzer.frames import CELL_COLUMNS, cells_frame
from analyzer.plan import Plan
from analyzer.results import analyse_run
from analyzer.store import RunWriter, find_run, load_run
from tests.factory import observation, steps, windows

PLAN = Plan(scenario="lobby", arms=("per_sender",), clients=(0, 10), rows=(8, 64), repeats=2)


def manifest(plan: Plan = PLAN) -> dict[str, Any]:
    return {"plan": plan.to_dict(), "seed": 1, "engine": {"kind": "embedded", "version": "1"},
            "module_sha256": "aa", "sittings": [{"started": "now"}]}  # fmt: skip


def begun(path: Path, count: int, plan: Plan = PLAN) -> RunWriter:
    path.mkdir(parents=True, exist_ok=True)
    writer = RunWriter.create(path, manifest(plan))
    for step in steps(plan)[:count]:
        writer.append(windows(step), ["before\n", "after\n"], step)
    return writer


def test_what_was_written_is_read_back_equal(tmp_path: Path) -> None:
    begun(tmp_path, 3)
    run = load_run(tmp_path)
    assert list(run.observations) == [o for step in steps(PLAN)[:3] for o in windows(step)]
    assert run.plan == PLAN
    assert run.finished == {step.key for step in steps(PLAN)[:3]}
    assert not run.complete


def test_raw_scrapes_are_kept_compressed(tmp_path: Path) -> None:
    begun(tmp_path, 1)
    names = sorted(path.name for path in (tmp_path / "scrapes").iterdir())
    assert len(names) == 2
    with gzip.open(tmp_path / "scrapes" / names[1], "rt") as file:
        assert file.read() == "after\n"


def test_a_torn_last_line_loses_only_its_own_step(tmp_path: Path) -> None:
    begun(tmp_path, 3)
    path = tmp_path / "observations.jsonl"
    path.write_bytes(path.read_bytes()[:-100])
    assert load_run(tmp_path).finished == {step.key for step in steps(PLAN)[:2]}


def test_a_resumed_run_holds_no_remains_of_the_torn_step(tmp_path: Path) -> None:
    begun(tmp_path, 3)
    path = tmp_path / "observations.jsonl"
    path.write_bytes(path.read_bytes()[:-100])
    writer = RunWriter.resume(load_run(tmp_path), manifest())
    for step in steps(PLAN)[2:]:
        writer.append(windows(step), [], step)
    run = load_run(tmp_path)
    assert run.complete
    assert len(run.observations) == len(steps(PLAN)) * PLAN.windows
    assert len(run.manifest["sittings"]) == 2


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(tmp_path: Path) -> None:
    begun(tmp_path, 2)
    path = tmp_path / "observations.jsonl"
    first, rest = path.read_text().split("\n", 1)
    path.write_text(first[:-20] + "\n" + rest)
    with pytest.raises(RunError, match=r"observations\.jsonl:1"):
        load_run(tmp_path)


@pytest.mark.parametrize("key", ["engine", "module_sha256", "plan"])
def test_runs_that_differ_in_what_must_agree_are_not_merged(tmp_path: Path, key: str) -> None:
    begun(tmp_path, 1)
    with pytest.raises(RunError, match=key):
        RunWriter.resume(load_run(tmp_path), manifest() | {key: "other"})


def test_a_run_is_not_resumed_on_another_machine(tmp_path: Path) -> None:
    begun(tmp_path, 1)
    there = manifest() | {"sittings": [{"cpu": "A", "cores": 2}]}
    RunWriter.create(tmp_path, there)
    RunWriter.resume(load_run(tmp_path), there)
    before = (tmp_path / "manifest.json").read_text()
    with pytest.raises(RunError) as refused:
        RunWriter.resume(load_run(tmp_path), there | {"sittings": [{"cpu": "A", "cores": 64}]})
    assert str(refused.value) == (
        f"{tmp_path} cannot be resumed: it was measured on A, 2 cores, this is A, 64 cores: "
        "use another --out"
    )
    assert (tmp_path / "manifest.json").read_text() == before


def test_an_unfinished_run_of_the_same_plan_is_found_and_a_finished_one_is_not(
    tmp_path: Path,
) -> None:
    begun(tmp_path / "a", 3)
    found = find_run(PLAN, tmp_path)
    assert found is not None
    assert found.path == tmp_path / "a"
    begun(tmp_path / "b", 99)
    (tmp_path / "a" / "manifest.json").unlink()
    assert find_run(PLAN, tmp_path) is None


def test_a_second_run_of_a_day_gets_a_number(tmp_path: Path) -> None:
    first = new_run_path(tmp_path, "lobby")
    assert first.is_dir()
    assert new_run_path(tmp_path, "lobby").name == first.name + "-2"


def test_json_is_strict(tmp_path: Path) -> None:
    writer = begun(tmp_path, 0)
    with pytest.raises(ValueError, match="not JSON compliant"):
        writer.write_json("model.json", {"cost": float("nan")})
    assert not (tmp_path / "model.json").exists()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"clients": "10"}, "its clients is '10'"),
        ({"clients": 11}, "S=11 R=8 is not in the plan"),
        ({"arm": "magic"}, "lobby/magic"),
        ({"scenario": "chess"}, "chess/per_sender"),
        ({"writes": True}, "its writes is True"),
        ({"writes": -1}, "its writes is -1"),
        ({"reducer_ms": float("nan")}, "its reducer_ms is nan"),
        ({"reducer_ms": 1e308}, "its reducer_ms is 1e+308"),
        ({"index_seeks": 1.5}, "its index_seeks is 1.5"),
        ({"reasons": "none"}, "its reasons is 'none'"),
        ({"verdict": None}, "its verdict is None"),
    ],
)
def test_an_edited_observation_is_refused_with_its_line_and_its_bad_value(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    plan = Plan(scenario="lobby", arms=("per_sender",), clients=(0, 10), rows=(8,), repeats=1)
    begun(tmp_path, 99, plan)
    path = tmp_path / "observations.jsonl"
    first, second, *rest = path.read_text().split("\n")
    path.write_text("\n".join([first, json.dumps(json.loads(second) | change), *rest]))
    with pytest.raises(RunError) as caught:
        load_run(tmp_path)
    assert "observations.jsonl:2" in str(caught.value)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"plan": None}, "its plan is None"),
        ({"plan": {}}, "no plan to go by"),
        ({"plan": PLAN.to_dict() | {"scenario": "chess"}}, "'chess'"),
        ({"plan": PLAN.to_dict() | {"clients": ["a"]}}, "no plan to go by"),
        ({"engine": "2.14.0"}, "its engine is '2.14.0'"),
        ({"analysis": 50}, "its analysis is 50"),
    ],
)
def test_an_edited_manifest_is_refused_in_one_line(
    tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    writer = begun(tmp_path, 1)
    (tmp_path / "manifest.json").write_text(json.dumps(writer.manifest | change))
    with pytest.raises(RunError, match="manifest") as caught:
        load_run(tmp_path)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_budget_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    writer = begun(tmp_path, 1)
    changed = writer.manifest | {"analysis": {"budget_ms": "50"}}
    (tmp_path / "manifest.json").write_text(json.dumps(changed))
    with pytest.raises(RunError, match="budget_ms is '50'"):
        analyse_run(load_run(tmp_path))


def test_a_step_that_was_written_twice_counts_once_and_is_not_lost(tmp_path: Path) -> None:
    begun(tmp_path, 2)
    before = load_run(tmp_path).observations
    path = tmp_path / "observations.jsonl"
    path.write_text(path.read_text() * 2)
    assert load_run(tmp_path).observations == before


def test_a_run_that_another_sweep_is_in_is_left_to_it(tmp_path: Path) -> None:
    begun(tmp_path / "a", 1)
    with held(tmp_path / "a"):
        assert find_run(PLAN, tmp_path) is None
        with pytest.raises(RunError, match="another sweep"), held(tmp_path / "a"):
            pass
    found = find_run(PLAN, tmp_path)
    assert found is not None


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "no manifest"), ("{", "cannot be read"), ("[]", "cannot be read"),
     ("[" * 100_000, "cannot be read"),
     ('{"schema_version": 99}', "schema version 99")],
)  # fmt: skip
def test_what_is_no_run_directory_is_said_in_one_line(
    tmp_path: Path, content: str | None, told: str
) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(RunError, match=told) as caught:
        load_run(tmp_path)
    assert "\n" not in str(caught.value)


def test_cells_have_the_contracts_columns_and_exact_counts_per_write(tmp_path: Path) -> None:
    begun(tmp_path, 99)
    cells = cells_frame(load_run(tmp_path).frame())
    assert list(cells.columns) == CELL_COLUMNS
    assert list(cells["index_seeks"]) == list(cells["index_seeks_expected"])
    assert set(cells["repeats"]) == {2}
    assert set(cells["verdict"]) == {"ok"}


def test_a_void_window_voids_its_repeat_and_keeps_it_out_of_the_times(tmp_path: Path) -> None:
    plan = Plan(scenario="lobby", arms=("anonymous",), clients=(10,), rows=(8,), repeats=2)
    writer = begun(tmp_path, 0, plan)
    for step in steps(plan)[:2]:
        bad = step.block.repeat == 1
        records = [
            observation(step, 0, reducer_ms=1.0, update_ms=1.0),
            observation(step, 1, reducer_ms=3.0, update_ms=1.0,
                        verdict="void" if bad else "ok",
                        reasons=("because",) if bad else ()),
        ]  # fmt: skip
        writer.append(records, [], step)
    [cell] = cells_frame(load_run(tmp_path).frame()).to_dict("records")
    assert cell["write_ms"] == pytest.approx(3.0)
    assert cell["repeats"] == 1
    assert cell["reason"] == "because"


def test_unknown_counts_stay_blank_in_the_table(tmp_path: Path) -> None:
    plan = Plan(scenario="lobby", arms=("anonymous",), clients=(10,), rows=(8,), repeats=1)
    writer = begun(tmp_path, 0, plan)
    step = steps(plan)[0]
    writer.append(windows(step, view_calls=None), [], step)
    text = cells_frame(load_run(tmp_path).frame()).to_csv(index=False)
    header, line = text.splitlines()
    assert dict(zip(header.split(","), line.split(","), strict=True))["view_calls"] == ""


def test_every_line_on_disk_is_one_json_object(tmp_path: Path) -> None:
    begun(tmp_path, 2)
    for line in (tmp_path / "observations.jsonl").read_text().splitlines():
        assert json.loads(line)["scenario"] == "lobby"
