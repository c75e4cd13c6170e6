"""Dashboards that subscribe and dashboards that read, count by count."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path
from typing import Any

import pytest

import analyzer.experiments.dashboard
from analyzer.errors import UsageError
from analyzer.experiments.dashboard import Settings, dashboard
from analyzer.experiments.lab import Records, load_records
from analyzer.report.dashboard import dashboard_content, whole_cells
from analyzer.swarm.loop import run
from analyzer.target import Server, Target
from tests.command import error_line, stdb_sweep

ROOMS, WRITES = 3, 5
SMALL = ("--dashboards", "0,2", "--rooms", ROOMS, "--every", "500ms", "--rate", "10",
         "--rounds", "2")  # fmt: skip
Done = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("dashboard")
    done = stdb_sweep("dashboard", *SMALL, "--out", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done


def rounds(measured: Done, way: str) -> list[dict[str, object]]:
    records = load_records(measured[0] / "run").records
    found = [r for r in records if r["way"] == way]
    assert [r["round"] for r in found] == [0, 1]
    assert all(r["reasons"] == [] for r in found)
    return found


def test_without_dashboards_a_write_is_two_seeks(measured: Done) -> None:
    for record in rounds(measured, "none"):
        assert (record["index_seeks"], record["view_calls"]) == (2 * WRITES, 0)
        assert record["deliveries"] == []


def test_each_that_subscribes_adds_a_view_call_a_delivery_and_a_seek_a_room(
    measured: Done,
) -> None:
    for record in rounds(measured, "subscribe"):
        assert record["index_seeks"] == WRITES * (2 * ROOMS + 2)
        assert record["view_calls"] == WRITES * 2
        assert record["deliveries"] == [WRITES, WRITES]
        assert record["transactions"] == {
            "Reducer settle_hand": WRITES, "Update settle_hand": WRITES
        }  # fmt: skip


def test_each_that_reads_adds_three_write_transactions_a_look_and_nothing_to_a_write(
    measured: Done,
) -> None:
    for record in rounds(measured, "read"):
        assert (record["index_seeks"], record["view_calls"]) == (2 * WRITES, 0)
        assert record["deliveries"] == []
        assert record["transactions"] == {
            "Reducer settle_hand": WRITES, "Update settle_hand": WRITES,
            "Reducer call_identity_connected": 2, "Reducer __identity_disconnected__": 2,
            "Sql": 2 * 2,
        }  # fmt: skip
        assert set(record["held_ms"]) == set(record["transactions"])  # type: ignore[arg-type]


def test_the_report_answers_first_and_is_printed_again(measured: Done) -> None:
    folder, done = measured
    answer = done.stdout.split("What dashboards cost the writers\n")[1]
    assert answer.lstrip().startswith("2 dashboards that subscribe to everything make a write ")
    assert "6 seeks, 2 view calls, 2" in answer
    assert "a look is 3 write transactions" in answer
    assert stdb_sweep("report", "run", cwd=folder).stdout == done.stdout
    assert (folder / "run" / "report.md").read_text().startswith("# stdb-sweep: dashboard")


def test_a_count_that_is_not_as_declared_voids_its_round(
    engine: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = dataclasses.replace(analyzer.experiments.dashboard.ARM, queries=("SELECT * FROM room",))
    monkeypatch.setattr(analyzer.experiments.dashboard, "ARM", arm)
    settings = Settings(dashboards=(2,), rooms=ROOMS, every_s=0.2, rate=10, rounds=1)
    found = run(dashboard(settings, Target(url=engine.url), out=tmp_path / "run"))
    assert {r["way"]: r["reasons"] for r in found.records} == {
        "none": [],
        "read": [],
        "subscribe": ["index_seeks 4, declared 16", "view_calls 0, declared 4"],
    }
    assert "subscribe" not in {cell.way for cell in whole_cells(found)}
    done = stdb_sweep("report", "run", cwd=tmp_path)
    assert done.returncode == 3
    assert "void records: 1 of 3" in error_line(done)
    assert "index_seeks 4, declared 16" in done.stdout
    assert "nothing to compare" in done.stdout


def test_a_report_of_nothing_measured_yet_says_so() -> None:
    settings = {"rooms": 1, "rate": 1.0, "every_s": 1.0, "rounds": 1}
    content = dashboard_content(Records(Path("run"), "dashboard", settings, {}, ()))
    assert "nothing to compare" in str(content)


def test_cells_are_in_the_order_of_the_seed_and_none_is_always_among_them() -> None:
    cells = Settings(dashboards=(1, 5), seed=1).cells()
    assert sorted(cells) == [
        ("none", 0), ("read", 1), ("read", 5), ("subscribe", 1), ("subscribe", 5)
    ]  # fmt: skip
    assert cells == Settings(dashboards=(0, 1, 5), seed=1).cells()
    assert len({tuple(Settings(dashboards=(1, 5), seed=seed).cells()) for seed in range(9)}) > 2


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"rate": 0.0}, "--rate 0"),
        ({"rate": float("inf")}, "--rate inf"),
        ({"rate": 0.1, "every_s": 4.0}, "--every 4s is less than a write"),
    ],
)
def test_settings_that_cannot_be_measured_are_refused(setting: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Settings(**setting)
