"""`doctor` looks before a sweep does, and says what it found."""

from __future__ import annotations

import json
import os
from pathlib import Path

from analyzer.target import Server
from tests.command import error_line, stdb_sweep
from tests.proxy import answering, http_answer, proxy


def states(stdout: str) -> dict[str, tuple[str, str]]:
    return {check["name"]: (check["state"], check["text"]) for check in json.loads(stdout)}


def test_here_everything_is_fit_for_a_sweep(tmp_path: Path) -> None:
    done = stdb_sweep("doctor", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = states(done.stdout)
    assert found["server"][0] == "ok"
    assert "embedded, version 2.14.0" in found["server"][1]
    assert found["write"] == ("ok", "one was delivered to one subscriber, and counted")
    assert found["metrics families"] == ("ok", "all 16 are there")
    assert "bad" not in {state for state, _ in found.values()}
    assert os.listdir(tmp_path) == []


def test_a_server_that_is_not_there_stops_a_sweep(tmp_path: Path) -> None:
    done = stdb_sweep("doctor", "--server", "http://127.0.0.1:1", cwd=tmp_path)
    assert done.returncode == 1
    assert "is the server running?" in " ".join(done.stdout.split())
    assert error_line(done) == "stdb-sweep: this stops a sweep: server"


def test_metrics_that_lack_what_a_sweep_counts_by_are_named(tmp_path: Path, engine: Server) -> None:
    page = http_answer("200 OK", "# TYPE up gauge\nup 1\n")
    with proxy(engine.url, answer=answering("/v1/metrics", page)) as url:
        done = stdb_sweep("doctor", "--json", "--server", url, cwd=tmp_path)
    assert done.returncode == 1
    state, text = states(done.stdout)["write"]
    assert state == "bad"
    assert "lacks spacetime_" in text


def test_what_is_not_built_is_said_with_the_command_that_builds_it(tmp_path: Path) -> None:
    env = {"STDB_SWEEP_CACHE": str(tmp_path / "empty")}
    done = stdb_sweep("doctor", "--json", cwd=tmp_path, env=env)
    assert done.returncode == 1
    found = states(done.stdout)
    assert found["embedded engine"][0] == "note"
    assert "engine build" in found["embedded engine"][1]
    assert found["server"][0] == "bad"
