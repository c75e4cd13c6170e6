"""What clients that left go on costing, and when it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.errors import RunError, UsageError
from analyzer.experiments.lab import Records, load_records
from analyzer.experiments.residue import Settings, ghosts_at, gone_at_min
from analyzer.report.residue import lag_min, residue_content
from tests.command import error_line, stdb_sweep


@pytest.mark.parametrize(
    ("left", "gone"), [(0, 10), (0.003, 20), (3.5, 20), (9.99, 20), (10, 20), (10.1, 30)]
)
def test_an_instance_goes_at_the_first_pass_ten_minutes_after_its_client_left(
    left: float, gone: float
) -> None:
    assert gone_at_min(left) == gone


def test_ghosts_are_the_clients_that_left_and_whose_pass_is_still_to_come() -> None:
    left = [1.0, 2.0, 11.0]
    assert [ghosts_at(now, left) for now in (0.5, 1.5, 12, 19.9, 20, 29, 30)] == [
        0, 1, 3, 3, 1, 1, 0
    ]  # fmt: skip


def test_left_clients_cost_what_they_cost_until_the_cleanup(tmp_path: Path) -> None:
    done = stdb_sweep(
        "residue", "--clients", "4", "--rooms", "3", "--leave-min", "0.05", "--every", "1s",
        "--expire-now", "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = load_records(tmp_path / "run")
    writes = [r for r in found.records if r["kind"] == "write"]
    [left] = [r for r in found.records if r["kind"] == "left"]
    [expired] = [r for r in found.records if r["kind"] == "expired"]
    for write in writes[:-1]:
        assert (write["view_calls"], write["index_seeks"]) == (4, 4 * (4 * 3 + 1) + 1)
        assert write["clients"] == (4 if write["min"] < left["min"] else 0)
    assert expired["min"] < writes[-1]["min"]
    assert (writes[-1]["view_calls"], writes[-1]["index_seeks"]) == (0, 1)
    assert "53 index seeks" in done.stdout
    assert stdb_sweep("report", "run", cwd=tmp_path).stdout == done.stdout
    assert (tmp_path / "run" / "report.md").read_text().startswith("# stdb-sweep: residue")
    assert 'id="timeline"' in (tmp_path / "run" / "report.html").read_text()
    assert "<svg" in (tmp_path / "run" / "plots" / "timeline.svg").read_text()


def test_under_churn_every_client_that_went_is_a_ghost(tmp_path: Path) -> None:
    done = stdb_sweep(
        "residue", "--clients", "3", "--rooms", "2", "--churn", "60", "--minutes", "0.1",
        "--every", "0.7s", "--out", "run", "--json", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    left = [r for r in records if r["kind"] == "left"]
    writes = [r for r in records if r["kind"] == "write"]
    assert len(left) >= 4
    assert writes[-1]["ghosts_predicted"] >= 3
    for write in writes:
        assert write["clients"] == 3
        assert write["view_calls"] - 3 == write["ghosts_predicted"]


def record(minute: float, view_calls: int, kind: str = "write") -> dict[str, object]:
    if kind == "left":
        return {"kind": "left", "min": minute, "clients": 2}
    return {"kind": "write", "min": minute, "clients": 0, "view_calls": view_calls,
            "index_seeks": 1 + 33 * view_calls, "reducer_ms": 0.1, "update_ms": 0.1,
            "ghosts_predicted": view_calls}  # fmt: skip


def run_of(*records: dict[str, object]) -> Records:
    settings = {"clients": 2, "rooms": 8, "churn": None, "expire_now": False}
    return Records(Path("run"), "residue", settings, {}, tuple(records))


def test_the_lag_lies_between_the_last_ghost_and_the_first_clean_write() -> None:
    found = run_of(record(3.5, 0, "left"), record(19.9, 2), record(20.15, 0), record(20.4, 0))
    predicted, low, high = lag_min(found) or (0, 0, 0)
    assert predicted == pytest.approx(16.5)
    assert (low, high) == (pytest.approx(16.4), pytest.approx(16.65))


def test_a_cleanup_that_was_not_seen_is_said_so() -> None:
    found = run_of(record(3.5, 0, "left"), record(19.9, 2))
    assert lag_min(found) is None
    assert "has not been seen" in str(residue_content(found))


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ({"every_s": 0.0}, "--every 0"),
        ({"churn": float("nan")}, "--churn nan"),
        ({"minutes": float("inf")}, "--minutes inf"),
        ({"leave_min": -1.0}, "--leave-min -1"),
        ({"churn": 1.0, "expire_now": True}, "exclude"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(
    flags: dict[str, float], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        Settings(**flags)  # type: ignore[arg-type]


def test_records_that_were_edited_are_one_line_with_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(
        '{"schema_version": 1, "experiment": "residue", "settings": {"clients": 1}}'
    )
    (tmp_path / "records.jsonl").write_text('{"min": 1}\n')
    done = stdb_sweep("report", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert "'kind'" in error_line(done)
    (tmp_path / "records.jsonl").write_text('{"kind": "left"}\nno json\n')
    with pytest.raises(RunError, match=r"records\.jsonl:2"):
        load_records(tmp_path)


def test_an_experiment_never_writes_over_a_run(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "manifest.json").write_text("{}")
    done = stdb_sweep("residue", "--out", "run", cwd=tmp_path)
    assert done.returncode == 1
    assert "holds a run already" in error_line(done)
