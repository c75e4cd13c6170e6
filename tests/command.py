"""The installed `stdb-sweep` command, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("stdb-sweep"))


def stdb_sweep(
    *args: object, cwd: Path, timeout_s: float = 300, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *map(str, args)],
        cwd=cwd,
        env=os.environ | {"COLUMNS": "100", "NO_COLOR": "1"} | (env or {}),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def error_line(done: subprocess.CompletedProcess[str]) -> str:
    """The last line on stderr; a traceback there is a failure of its own."""
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr.strip().splitlines()[-1]


def wait_for_observations(root: Path, lines: int) -> Path:
    for _ in range(600):
        for run in root.iterdir() if root.is_dir() else ():
            path = run / "observations.jsonl"
            if path.is_file() and path.read_text().count("\n") >= lines:
                return run
        time.sleep(0.05)
    raise AssertionError("no observation within 30 s")


def children(pid: int) -> list[str]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.split()


def left(pids: list[str]) -> list[str]:
    """Which of these processes still run ten seconds on, at the latest."""
    assert pids
    for _ in range(100):
        if not (alive := [pid for pid in pids if Path(f"/proc/{pid}").exists()]):
            return []
        time.sleep(0.1)
    return alive
