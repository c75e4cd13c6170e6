"""The installed `stdb-sweep` command, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
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
