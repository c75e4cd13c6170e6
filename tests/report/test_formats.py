"""`report` in every format, from the run directory alone."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import analyzer.report.pictures
from analyzer.model.analysis import analyse
from analyzer.plan import Plan
from analyzer.report.content import build_content
from analyzer.report.formats import run_report
from analyzer.results import analyse_run, write_results
from analyzer.store import load_run
from tests.command import stdb_sweep
from tests.runs import small_plan, write_residue, write_run

MOST_BYTES = 2_000_000


@pytest.fixture(scope="module")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("formats") / "run", small_plan())


@pytest.fixture(scope="module")
def residue(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_residue(tmp_path_factory.mktemp("formats") / "residue")


def report(run: Path, kind: str) -> str:
    done = stdb_sweep("report", run.name, "--format", kind, cwd=run.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_data_goes_to_stdout_in_the_format_asked_for(lobby: Path, residue: Path) -> None:
    before = sorted(path.name for path in lobby.iterdir())
    assert report(lobby, "terminal").startswith("stdb-sweep: lobby")
    assert report(lobby, "md").startswith("# stdb-sweep: lobby\n")
    assert len(json.loads(report(lobby, "json"))["ceilings"]) == 8
    cells = list(csv.DictReader(io.StringIO(report(lobby, "csv"))))
    assert len(cells) == 32
    assert {cell["verdict"] for cell in cells} == {"ok"}
    records = list(csv.DictReader(io.StringIO(report(residue, "csv"))))
    assert [record["kind"] for record in records].count("write") == 22
    assert records[3] == {"kind": "left", "min": "2.5", "clients": "4"} | dict.fromkeys(
        set(records[0]) - {"kind", "min", "clients"}, ""
    )
    assert sorted(path.name for path in lobby.iterdir()) == before


def test_a_file_holds_what_stdout_would(residue: Path, tmp_path: Path) -> None:
    for kind in ("terminal", "html", "md", "csv", "json"):
        file = tmp_path / kind
        done = stdb_sweep("report", residue, "--format", kind, "--output", file, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        again = stdb_sweep("report", residue, "--format", kind, cwd=tmp_path)
        assert file.read_text() == again.stdout


def test_results_are_left_in_the_run_directory_with_every_picture(tmp_path: Path) -> None:
    run = load_run(write_run(tmp_path / "run", small_plan()))
    write_results(run, *analyse_run(run))
    page = (run.path / "report.html").read_text()
    plots = sorted(path.stem for path in (run.path / "plots").glob("*.svg"))
    assert len(plots) == 10
    assert all(f'<figure id="{name}">' in page for name in plots)


def test_without_matplotlib_the_page_has_no_pictures_and_all_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analyzer.report.pictures, "find_spec", lambda name: None)
    run = load_run(write_run(tmp_path / "run", small_plan()))
    write_results(run, *analyse_run(run))
    page = (run.path / "report.html").read_text()
    assert "<svg" not in page
    assert "Clients within 50 ms of lock per write" in page
    assert not (run.path / "plots").exists()


def test_the_page_of_ten_thousand_windows_is_below_two_megabytes(tmp_path: Path) -> None:
    plan = Plan(
        scenario="lobby",
        arms=("per_sender", "anonymous"),
        clients=tuple(range(0, 100, 5)),
        rows=tuple(range(8, 1000, 24)),
        repeats=3,
        windows=2,
        writes=10,
    )
    run = load_run(write_run(tmp_path / "run", plan))
    assert len(run.observations) > 10_000
    frame = run.frame()
    analysis = analyse(frame, draws=50, refusal="the fit is not what is looked at here")
    content = build_content(analysis, frame, run.manifest, run.path)
    page = run_report(run, analysis, content).text("html")
    assert len(page.encode()) < MOST_BYTES
    assert "windows are left out here; observations.jsonl has them all" in page
