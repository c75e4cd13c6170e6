"""The TypeScript twin of the lobby, bundled, and run under Node.js on counting tables."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.build.typescript import module_js

Twin = Callable[..., Any]


@pytest.fixture(scope="session")
def twin() -> Twin:
    """Runs one job of twin.mjs; see there for what it takes and answers."""
    script, bundle = Path(__file__).with_name("twin.mjs"), module_js("lobby")

    def run(**job: Any) -> Any:
        command = ["node", str(script), str(bundle), json.dumps(job)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return run
