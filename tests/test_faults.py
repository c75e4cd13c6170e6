"""Every fault is one clear line and the right exit code, and leaves nothing behind."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
import pytest

from analyzer.store import load_run
from analyzer.target import Server
from tests.command import COMMAND, error_line, stdb_sweep
from tests.proxy import UPDATE, answering, http_answer, proxy

CELL = ("--clients", "2", "--rooms", "2", "--arms", "per_sender", "--repeats", "1",
        "--writes", "2", "--out", "run")  # fmt: skip


def databases_with_metrics(url: str) -> str:
    return httpx.get(f"{url}/v1/metrics", trust_env=False).text


def test_a_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    done = stdb_sweep(*CELL, "--server", f"http://127.0.0.1:{port}", cwd=tmp_path)
    assert done.returncode == 1
    assert f"127.0.0.1:{port}" in error_line(done)
    assert "is the server running?" in error_line(done)
    assert not (tmp_path / "run").exists()


def test_a_server_of_another_kind_is_told_apart(tmp_path: Path) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>hello</html>")

        def log_message(self, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        done = stdb_sweep(*CELL, "--server", f"127.0.0.1:{server.server_port}", cwd=tmp_path)
        server.shutdown()
        thread.join()
    assert done.returncode == 1
    assert "is not a SpacetimeDB server" in error_line(done)


def test_a_remote_server_needs_the_users_word(tmp_path: Path) -> None:
    done = stdb_sweep(*CELL, "--server", "https://example.com", cwd=tmp_path)
    assert done.returncode == 2
    assert "--allow-remote" in error_line(done)


def test_a_wrong_token_is_refused_and_never_shown(tmp_path: Path, engine: Server) -> None:
    (tmp_path / "token").write_text("secret.of.mine\n")
    done = stdb_sweep(*CELL, "--server", engine.url, "--token-file", "token", cwd=tmp_path)
    assert done.returncode == 1
    assert "token was refused" in error_line(done)
    assert "secret" not in done.stderr + done.stdout
    assert "left on" not in done.stderr, "nothing was made there"
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


def test_a_sweep_of_a_running_server_leaves_no_database_there(
    tmp_path: Path, engine: Server
) -> None:
    done = stdb_sweep(*CELL, "--server", engine.url, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for line in (tmp_path / "run" / "databases.txt").read_text().splitlines():
        name = line.split()[1]
        answer = httpx.get(f"{engine.url}/v1/database/{name}", trust_env=False)
        assert answer.status_code == 404


def test_too_few_descriptors_fail_before_anything_is_published(tmp_path: Path) -> None:
    limited = f'ulimit -n 64; exec "{COMMAND}" --clients 100 --rooms 2 --out run'
    done = subprocess.run(
        ["bash", "-c", limited], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "needs 164 file descriptors, the limit is 64" in error_line(done)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (http_answer("200 OK", "<html></html>", "text/html"), "HTML"),
        (http_answer("404 Not Found", "no"), "404"),
        (http_answer("302 Found", "", extra="location: /login\r\n"), "302"),
        (http_answer("200 OK", ""), "empty"),
        (http_answer("200 OK", 'spacetime_num_txns_total{txn_type="Red'), "/v1/metrics"),
        (http_answer("200 OK", "# TYPE up gauge\nup 1\n"), "lacks spacetime_"),
    ],
)
def test_bad_metrics_pages_name_the_url_and_leave_no_cell(
    tmp_path: Path, engine: Server, answer: bytes, told: str
) -> None:
    with proxy(engine.url, answer=answering("/v1/metrics", answer)) as url:
        done = stdb_sweep(*CELL, "--server", url, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert told in error_line(done)
    assert url in error_line(done)
    assert not (tmp_path / "run" / "cells.csv").exists()


def test_a_server_that_takes_calls_but_never_pushes_is_found_in_the_preflight(
    tmp_path: Path, engine: Server
) -> None:
    async def no_updates(socket: int, message: bytes) -> list[bytes]:
        return [] if message.startswith(UPDATE) else [message]

    with proxy(engine.url, relay=no_updates) as url:
        done = stdb_sweep(*CELL, "--server", url, cwd=tmp_path)
    assert done.returncode == 1
    assert "alive but not streaming" in error_line(done)


def test_an_engine_killed_in_mid_cell_is_one_line_and_loses_nothing(tmp_path: Path) -> None:
    sweep = subprocess.Popen(
        [COMMAND, "--clients", "2,5", "--rooms", "2,4", "--writes", "3", "--out", "run"],
        cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    path = tmp_path / "run" / "observations.jsonl"
    for _ in range(600):
        if path.is_file() and path.read_text().count("\n") >= 3:
            break
        time.sleep(0.05)
    children = subprocess.run(
        ["pgrep", "-P", str(sweep.pid)], capture_output=True, text=True, check=True
    )
    subprocess.run(["kill", "-9", *children.stdout.split()], check=True)
    stdout, stderr = sweep.communicate(timeout=60)
    assert sweep.returncode == 1
    assert "Traceback" not in stderr
    last = stderr.splitlines()[-1]
    assert "127.0.0.1" in last or "connection" in last
    assert "The embedded engine ended with SIGKILL" in last
    assert "finished steps are in run; the same command goes on" in last
    assert load_run(tmp_path / "run").observations
    assert stdout == ""


def test_a_folder_with_other_things_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.txt").write_text("mine")
    done = stdb_sweep(*CELL, cwd=tmp_path)
    assert done.returncode == 1
    assert "thesis.txt" in error_line(done)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["thesis.txt"]


def test_an_engine_that_is_not_built_says_how_to_build_it(tmp_path: Path) -> None:
    done = stdb_sweep("engine", "path", cwd=tmp_path, env={"STDB_SWEEP_CACHE": str(tmp_path)})
    assert done.returncode == 1
    assert "stdb-sweep engine build" in error_line(done)


def test_a_missing_cargo_says_what_to_install(tmp_path: Path) -> None:
    env = {"STDB_SWEEP_CACHE": str(tmp_path), "PATH": "/nowhere"}
    done = stdb_sweep("engine", "build", cwd=tmp_path, env=env)
    assert done.returncode == 1
    assert "rustup" in error_line(done)


def test_a_port_that_is_taken_is_named(tmp_path: Path, engine: Server) -> None:
    address = engine.url.removeprefix("http://")
    done = stdb_sweep("engine", "start", "--listen", address, cwd=tmp_path, timeout_s=20)
    assert done.returncode == 1
    assert address in error_line(done)
