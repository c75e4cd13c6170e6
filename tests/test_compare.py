"""`compare`: counts exactly, costs as ratios, and only runs that are alike."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import analyzer
from analyzer.errors import RunError
from analyzer.plan import Plan
from analyzer.store import load_run
from tests.command import error_line, stdb_sweep
from tests.factory import MACHINE, NOISY, noisy_run, write_run


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return noisy_run(tmp_path_factory.mktemp("compare") / "base", 1)


def test_a_run_against_itself_differs_nowhere(base: Path) -> None:
    found = analyzer.compare(load_run(base), load_run(base))
    assert found.same
    for arm in found.arms:
        assert (arm.counted, arm.counts) == (8, ())
        assert arm.over_all is not None
        assert [cost.ratio for cost in (arm.over_all, *arm.cells)] == [1.0] * 7
        assert not any(cost.differs for cost in (arm.over_all, *arm.cells))


def test_of_two_arms_the_ratio_is_given(base: Path) -> None:
    (found,) = analyzer.compare(load_run(base), arms=("per_sender", "anonymous")).arms
    most = found.cells[-1]
    assert (most.clients, most.rows, most.differs) == (100, 64, True)
    assert most.ratio == pytest.approx(0.0107, rel=0.25)
    assert most.low is not None
    assert most.high is not None
    assert most.low < most.ratio < most.high
    seeks = [change for change in found.counts if change.count == "index_seeks"]
    assert (seeks[-1].base, seeks[-1].new) == (25701.0, 257.0)
    assert len(seeks) == 6, "without clients both make one seek"


def test_of_two_runs_alike_every_cell_is_marked_as_not_told_apart(
    base: Path, tmp_path: Path
) -> None:
    noisy_run(tmp_path / "new", 2)
    done = stdb_sweep("compare", base, "new", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("counts the same in all 8 cells") == 2
    marks = [line.split()[-1] for line in done.stdout.splitlines() if line.strip()]
    assert marks.count("~") == 2 * 7
    assert "0 of 6 cells told apart" in done.stdout


def test_a_run_twice_as_slow_is_told_as_such_in_markdown(base: Path, tmp_path: Path) -> None:
    noisy_run(tmp_path / "new", 2, times=2.0)
    done = stdb_sweep("compare", base, "new", "--markdown", cwd=tmp_path)
    assert done.stdout.startswith("# stdb-sweep: compare\n")
    assert "| dearer |" in done.stdout
    assert "times as dear" in done.stdout


def test_one_changed_count_in_one_cell_is_named(base: Path, tmp_path: Path) -> None:
    new = noisy_run(tmp_path / "new", 2)
    lines = (new / "observations.jsonl").read_text().splitlines()
    for number, line in enumerate(lines):
        record = json.loads(line)
        if (record["arm"], record["clients"], record["rows"]) == ("per_sender", 50, 64):
            record["index_seeks"] += 10
            record |= {"verdict": "void", "reasons": ["12,852 index seeks a write"]}
            lines[number] = json.dumps(record)
    (new / "observations.jsonl").write_text("\n".join(lines) + "\n")
    done = stdb_sweep("compare", base, new, "--json", cwd=tmp_path)
    per_sender, anonymous = json.loads(done.stdout)["arms"]
    assert per_sender["counts"] == [
        {"clients": 50, "rows": 64, "count": "index_seeks", "base": 12851.0, "new": 12852.0}
    ]
    assert anonymous["counts"] == []
    assert "1 cell(s) void in NEW: their costs take no part" in per_sender["notes"]
    assert len(per_sender["cells"]) == 5


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"engine": {"name": "SpacetimeDB (embedded)", "version": "2.15.0"}},
         "engine version: 2.14.0 and 2.15.0"),
        ({"engine": {"name": "SpacetimeDB (server)", "version": "2.14.0"}},
         "server: SpacetimeDB (embedded) and SpacetimeDB (server)"),
        ({"module_sha256": "b" * 64}, "module: aaaaaaaaaaaa and bbbbbbbbbbbb"),
        ({"host": {"cpu": "another", "cores": 2}}, "machine: a processor, 2 cores and another"),
        ({"plan": replace(NOISY, protocol="v3.bsatn").to_dict()},
         "protocol: v2.bsatn and v3.bsatn"),
        ({"plan": replace(NOISY, windows=4).to_dict()}, "windows: 2 and 4"),
        ({"plan": replace(NOISY, subscribers="engine").to_dict()},
         "subscribers: websocket and engine"),
    ],
)  # fmt: skip
def test_unlike_runs_are_refused_in_one_line_or_named_and_gone_on_with(
    base: Path, tmp_path: Path, changed: dict[str, object], told: str
) -> None:
    write_run(tmp_path / "new", NOISY, MACHINE | changed)
    with pytest.raises(RunError) as caught:
        analyzer.compare(load_run(base), load_run(tmp_path / "new"))
    assert str(caught.value).startswith(f"unlike runs: {told}")
    assert "\n" not in str(caught.value)
    forced = analyzer.compare(load_run(base), load_run(tmp_path / "new"), force=True)
    assert forced.unlike[0].startswith(told)
    assert len(forced.arms) == 2


def test_a_run_with_one_repeat_gives_ratios_and_no_verdict(base: Path, tmp_path: Path) -> None:
    noisy_run(tmp_path / "new", 2, replace(NOISY, repeats=1))
    found = analyzer.compare(load_run(base), load_run(tmp_path / "new"))
    assert found.arms[0].over_all is None
    assert {cost.differs for cost in found.arms[0].cells} == {None}
    assert found.arms[0].notes == ("no interval: one repeat; use --repeats 3 or more",)


def test_cells_that_only_one_run_has_are_named(base: Path, tmp_path: Path) -> None:
    noisy_run(tmp_path / "new", 2, replace(NOISY, clients=(0, 10, 50), rows=(8, 32)))
    found = analyzer.compare(load_run(base), load_run(tmp_path / "new"))
    assert found.arms[0].counted == 3
    assert found.arms[0].notes == ("5 cell(s) only in BASE", "3 cell(s) only in NEW")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["base"], 2, "Write two run directories"),
        (["base", "--arms", "per_sender"], 2, "write two arms"),
        (["base", "--arms", "per_sender,magic"], 1, "no measured arm 'magic': it has per_sender"),
        (["base", "nowhere"], 1, "nowhere is no run directory"),
    ],
)
def test_what_cannot_be_compared_is_one_line(
    base: Path, words: list[str], code: int, told: str
) -> None:
    done = stdb_sweep("compare", *words, cwd=base.parent)
    assert done.returncode == code
    assert told in error_line(done)


def test_runs_of_two_scenarios_have_nothing_in_common(base: Path, tmp_path: Path) -> None:
    plan = Plan(scenario="tournament", arms=("per_sender",), clients=(0, 10), rows=(8,))
    write_run(tmp_path / "new", plan)
    with pytest.raises(RunError, match="no cell in common"):
        analyzer.compare(load_run(base), load_run(tmp_path / "new"), force=True)
