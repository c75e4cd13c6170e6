"""A sweep that is stopped, killed or left alone by its readers loses nothing (pitfall 24)."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
from pathlib import Path

import httpx
import pytest

from analyzer.databases import leftovers
from analyzer.errors import HttpError, RunError
from analyzer.plan import Plan
from analyzer.stdb.http import StdbHttp
from analyzer.store import RunWriter, load_run
from analyzer.target import Server, Target
from analyzer.workplace import workplace
from tests.command import COMMAND, children, error_line, left, stdb_sweep, wait_for_observations
from tests.factory import steps, windows
from tests.proxy import answering, http_answer, proxy

SMALL = ("--clients", "2,5", "--rooms", "2,4", "--repeats", "2", "--writes", "3")


def test_a_killed_sweep_goes_on_where_it_stopped(tmp_path: Path) -> None:
    command = [*SMALL, "--arms", "per_sender"]
    path = tmp_path / "runs"
    sweep = subprocess.Popen([COMMAND, *command], cwd=tmp_path, stderr=subprocess.PIPE)
    try:
        run = wait_for_observations(path, 4)
        engines = children(sweep.pid)
    finally:
        sweep.send_signal(signal.SIGKILL)
        sweep.communicate()
    before = load_run(run)
    assert not before.complete
    assert not left(engines)

    done = stdb_sweep(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{len(before.finished)} steps are finished" in done.stderr
    after = load_run(run)
    assert after.complete
    assert list(path.iterdir()) == [run]
    assert after.observations[: len(before.observations)] == before.observations
    keys = [(o.cell, o.repeat, o.control, o.window) for o in after.observations]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_sweep_keeps_what_is_finished_and_leaves_no_engine(
    tmp_path: Path, stop: signal.Signals
) -> None:
    sweep = subprocess.Popen(
        [COMMAND, *SMALL], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    run = wait_for_observations(tmp_path / "runs", 2)
    engines = children(sweep.pid)
    sweep.send_signal(stop)
    _, stderr = sweep.communicate(timeout=60)
    assert sweep.returncode == 130
    assert "Traceback" not in stderr
    assert "same command" in stderr.splitlines()[-1]
    assert load_run(run).observations
    assert not left(engines)
    created = (run / "databases.txt").read_text().count("created")
    assert (run / "databases.txt").read_text().count("deleted") == created


def test_two_sweeps_never_write_to_one_run(tmp_path: Path) -> None:
    command = [*SMALL, "--out", "run"]
    first = subprocess.Popen(
        [COMMAND, *command], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    wait_for_observations(tmp_path, 2)
    second = stdb_sweep(*command, cwd=tmp_path)
    _, stderr = first.communicate(timeout=120)
    assert second.returncode == 1
    assert "another sweep is writing to run" in error_line(second)
    assert first.returncode == 0, stderr
    assert load_run(tmp_path / "run").complete


def test_a_second_ctrl_c_does_not_leave_the_database_on_a_running_server(
    tmp_path: Path, engine: Server
) -> None:
    sweep = subprocess.Popen(
        [COMMAND, *SMALL, "--server", engine.url], cwd=tmp_path, stderr=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    run = wait_for_observations(tmp_path / "runs", 2)
    sweep.send_signal(signal.SIGINT)
    sweep.send_signal(signal.SIGINT)
    _, stderr = sweep.communicate(timeout=60)
    assert sweep.returncode == 130
    assert "Traceback" not in stderr
    journal = run / "databases.txt"
    assert leftovers(journal) == []
    for name in {line.split()[1] for line in journal.read_text().splitlines()}:
        assert httpx.get(f"{engine.url}/v1/database/{name}", trust_env=False).status_code == 404


def test_a_database_that_cannot_be_deleted_is_named(tmp_path: Path, engine: Server) -> None:
    def no_deletes(request: bytes) -> bytes | None:
        refusal = http_answer("503 Service Unavailable", "later")
        return refusal if request.startswith(b"DELETE /") else None

    with proxy(engine.url, answer=no_deletes) as url:
        done = stdb_sweep(
            "--clients", "2", "--rooms", "2", "--arms", "anonymous", "--repeats", "1",
            "--writes", "2", "--out", "run", "--server", url, cwd=tmp_path,
        )  # fmt: skip
    assert "Traceback" not in done.stderr
    names = leftovers(tmp_path / "run" / "databases.txt")
    assert names
    for name in names:
        assert name in done.stderr
    assert "the next sweep with --out run deletes them" in done.stderr


def test_readers_of_the_progress_that_leave_do_not_end_the_sweep(tmp_path: Path) -> None:
    with subprocess.Popen(
        [COMMAND, *SMALL, "--json"], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as sweep:
        assert sweep.stderr is not None
        assert sweep.stdout is not None
        sweep.stderr.close()
        document = json.loads(sweep.stdout.read())
    assert sweep.returncode == 0
    assert document["laws"][0]["exact"]


def test_a_sweep_that_was_started_without_standard_streams_measures_all_the_same(
    tmp_path: Path,
) -> None:
    line = f'exec "{COMMAND}" {" ".join(SMALL)} --arms anonymous --out run <&- >&- 2>&-'
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, check=False, timeout=120)
    assert done.returncode == 0
    assert load_run(tmp_path / "run").complete


def test_a_full_disk_under_the_output_is_one_line(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [COMMAND, "scenarios"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["stdb-sweep: No space left on device"]


def test_a_full_disk_under_the_run_is_one_line_with_the_path(tmp_path: Path) -> None:
    plan = Plan(scenario="lobby", arms=("anonymous",), clients=(0, 2), rows=(2,))
    writer = RunWriter.create(tmp_path, {"plan": plan.to_dict()})
    first, second, *_ = steps(plan)
    writer.append(windows(first), [], first)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    size = (tmp_path / "observations.jsonl").stat().st_size
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
        with pytest.raises(RunError, match=f"cannot write to {tmp_path}: File too large"):
            writer.append(windows(second), [], second)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert load_run(tmp_path).finished == {first.key}


def test_a_server_of_ones_own_leaves_no_names_of_databases_behind(
    tmp_path: Path, lobby_wasm: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a third Ctrl-C ends the cleaning up: what was made goes with its server."""

    async def interrupted(self: StdbHttp, database: str) -> None:
        raise HttpError("gone", url=database)

    async def work() -> None:
        monkeypatch.setattr(StdbHttp, "delete", interrupted)
        async with workplace(tmp_path / "run", Target(), note=lambda text: None) as at:
            async with at.databases.fresh("lobby", lobby_wasm):
                pass
            assert leftovers(tmp_path / "run" / "databases.txt")

    asyncio.run(work())
    assert not (tmp_path / "run" / "databases.txt").exists()


def test_a_place_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    done = stdb_sweep(*SMALL, "--out", "/proc/run", cwd=tmp_path)
    assert done.returncode == 1
    assert "cannot write to /proc/run" in error_line(done)


def test_a_run_that_failed_before_its_first_cell_leaves_no_folder(
    tmp_path: Path, engine: Server
) -> None:
    with proxy(engine.url, answer=answering("/v1/metrics", http_answer("200 OK", ""))) as url:
        done = stdb_sweep(*SMALL, "--server", url, "--out", "run", cwd=tmp_path)
    assert done.returncode == 1
    assert os.listdir(tmp_path) == []


def test_the_report_of_a_run_with_void_cells_ends_as_the_sweep_did(tmp_path: Path) -> None:
    plan = Plan(scenario="lobby", arms=("anonymous",), clients=(0, 2), rows=(2,), repeats=1)
    writer = RunWriter.create(tmp_path, {"plan": plan.to_dict()})
    for step in steps(plan):
        writer.append(windows(step, verdict="void", reasons=("one seek too many",)), [], step)
    done = stdb_sweep("report", ".", cwd=tmp_path)
    assert done.returncode == 3
    assert "one seek too many" in done.stdout
    assert "void cells: 2 of 2" in error_line(done)
