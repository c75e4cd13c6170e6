"""The TypeScript twins of test modules: checked, then bundled to one JavaScript file each.

Built on first use and kept in the user's cache: only whoever measures a server with V8 needs
Node.js and the npm packages.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from analyzer.build.cache import cache_dir, source_dir, source_key
from analyzer.errors import BuildError, UsageError

LACKING = {"lobby": frozenset({"active_game_in_room"})}
"""The modules that have a twin, and the views it lacks: npm `spacetimedb` 2.10 cannot declare a
view with arguments."""
SOURCES = frozenset({".ts", ".json"})
_STEPS = (
    ("ci", "--ignore-scripts", "--no-audit", "--no-fund"),
    ("run", "--silent", "check"),
    ("run", "--silent", "bundle"),
)


def check_twin(module: str, queries: Iterable[str]) -> None:
    """Raises UsageError when there is no twin of `module`, or it lacks what a query asks for."""
    if module not in LACKING:
        raise UsageError(f"the {module} has no TypeScript twin: leave --module-language out")
    for query in queries:
        if view := next((view for view in LACKING[module] if view in query), None):
            raise UsageError(
                f"the TypeScript twin has no view {view}: npm spacetimedb cannot declare views "
                "with arguments yet; leave that arm out"
            )


def module_js(module: str) -> Path:
    """The bundle of the module's twin, built when these sources have none yet.

    Raises BuildError with the first complaint of npm, tsc or esbuild, and names the log.
    """
    source = source_dir("modules") / f"{module}-ts"
    home = cache_dir() / "typescript-modules"
    path = home / source_key(source, SOURCES) / f"{module}.js"
    if path.is_file():
        return path
    if not all(map(shutil.which, ("node", "npm"))):
        raise BuildError(
            "a TypeScript module is built with Node.js 20 or newer and npm: install them "
            "(https://nodejs.org)"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    print(f"bundling the TypeScript {module}, once", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="build-", dir=home) as scratch:
        folder = Path(scratch) / "module"
        shutil.copytree(source, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
        for step in _STEPS:
            _npm(step, folder, home / "build.log")
        # Beside its place, so that it appears there whole.
        fresh = path.with_suffix(f".{os.getpid()}")
        shutil.copyfile(folder / "dist" / path.name, fresh)
        fresh.replace(path)
    return path


def _npm(step: tuple[str, ...], folder: Path, log: Path) -> None:
    done = subprocess.run(
        ["npm", *step],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        log.write_text(done.stdout, encoding="utf-8")
        raise BuildError(
            f"npm {' '.join(step)} failed in the TypeScript module: {_complaint(done.stdout)} "
            f"(log: {log})"
        )


def _complaint(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = (line for line in lines if "error" in line.lower())
    return next(errors, lines[-1] if lines else "no output")
