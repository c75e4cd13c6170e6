"""The run directory of an experiment: settings in, one record at a time out.

`manifest.json` as a sweep writes it, with `experiment` and `settings` in the place of the plan;
`records.jsonl` grows by one synced line at a time, so that what was recorded outlives a crash.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer.build.modules import module_wasm
from analyzer.databases import Databases
from analyzer.environment import provenance
from analyzer.errors import RunError
from analyzer.folder import claim, held, new_run_path, replace_text, writing
from analyzer.metrics.parse import parse
from analyzer.metrics.snapshot import Snapshot
from analyzer.stdb.http import StdbHttp
from analyzer.store import SCHEMA_VERSION
from analyzer.target import Server, Target
from analyzer.workplace import workplace

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Records:
    """An experiment's run as it lies on disk."""

    path: Path
    experiment: str
    settings: dict[str, Any]
    manifest: dict[str, Any]
    records: tuple[Record, ...]


@dataclass(slots=True)
class Lab:
    """One experiment at work."""

    path: Path
    server: Server
    owner: str
    http: StdbHttp
    databases: Databases
    wasm: bytes
    note: Callable[[str], None]

    def record(self, record: Record) -> None:
        """Keep one record. Raises RunError when the disk does not take it, ValueError for NaN."""
        line = json.dumps(record, allow_nan=False) + "\n"
        with writing(self.path), (self.path / "records.jsonl").open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    async def scrape(self, database: str) -> Snapshot:
        """Raises HttpError or MeasurementError for a page that is no metrics page."""
        url = f"{self.server.url}/v1/metrics"
        return parse(await self.http.metrics(), url=url, database=database)


@contextlib.asynccontextmanager
async def lab(
    experiment: str,
    module: str,
    settings: dict[str, Any],
    target: Target,
    *,
    out: Path | None = None,
    root: Path = Path("runs"),
    note: Callable[[str], None] = lambda text: None,
) -> AsyncIterator[Lab]:
    """Open a run directory of its own for an experiment, and the server it works on.

    Raises RunError for a folder that holds anything already, and what opening the target raises.
    """
    wasm = module_wasm(module).read_bytes()
    path = out or new_run_path(root, experiment)
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)
    with held(path):
        if claim(path):
            raise RunError(f"{path} holds a run already: use another --out")
        async with workplace(path, target, note) as at:
            manifest = {
                "schema_version": SCHEMA_VERSION,
                "experiment": experiment,
                "settings": settings,
                **provenance(at.server, wasm),
            }
            replace_text(path / "manifest.json", json.dumps(manifest, indent=1) + "\n")
            note(f"every record goes to {path} at once; Ctrl-C loses none")
            yield Lab(path, at.server, at.owner, at.http, at.databases, wasm, note)


def is_experiment(path: Path) -> bool:
    """Whether an experiment, and no sweep, wrote the run directory `path`."""
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(manifest, dict) and "experiment" in manifest


def load_records(path: Path) -> Records:
    """Read an experiment's run directory. Raises RunError when it is none."""
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        found = Records(path, manifest["experiment"], manifest["settings"], manifest, ())
        version = manifest["schema_version"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunError(f"{path} is no experiment's run directory: {error}") from None
    if version != SCHEMA_VERSION:
        raise RunError(
            f"{path} has schema version {version}, this stdb-sweep reads {SCHEMA_VERSION}"
        )
    return Records(path, found.experiment, found.settings, manifest, _records(path))


def _records(path: Path) -> tuple[Record, ...]:
    file = path / "records.jsonl"
    try:
        *lines, _torn = file.read_text(encoding="utf-8", errors="replace").split("\n")
    except FileNotFoundError:
        return ()
    records = []
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            raise RunError(f"{file}:{number} is not a record") from None
        if not isinstance(record, dict):
            raise RunError(f"{file}:{number} is not a record")
        records.append(record)
    return tuple(records)
