"""The run directory: what measuring leaves on disk, and all that analysing reads.

`observations.jsonl` grows by one cell at a time: every window of a step in one append, synced.
A killed sweep leaves whole steps and at most one torn line, which loading drops.
"""

from __future__ import annotations

import datetime
import gzip
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.errors import RunError
from analyzer.plan import Plan, Step
from analyzer.records import Cell, Observation

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1
MUST_AGREE = ("plan", "engine", "module_sha256")
"""Manifest keys that must be equal before two sittings count as one run."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it lies on disk."""

    path: Path
    manifest: dict[str, Any]
    observations: tuple[Observation, ...]

    @property
    def plan(self) -> Plan:
        return Plan.from_dict(self.manifest["plan"])

    @property
    def finished(self) -> set[tuple[Cell, int, bool]]:
        """Keys of the steps that are whole."""
        return {(o.cell, o.repeat, o.control) for o in self.observations}

    @property
    def complete(self) -> bool:
        done = self.finished
        return all(step.key in done for block in self.plan.blocks() for step in block.steps())

    @property
    def mixed(self) -> str:
        """Why the times of this run are not of one machine; nothing when they are."""
        sittings = self.manifest.get("sittings", [])
        machines = {f"{s['cpu']}, {s['cores']} cores" for s in sittings if "cpu" in s}
        if len(machines) < 2:
            return ""
        return f"{self.path} was measured on unlike machines ({'; '.join(sorted(machines))})"

    def frame(self, *, control: bool = False) -> pd.DataFrame:
        """One row per cell and repeat (see `analyzer.frames`); drift controls on request."""
        from analyzer.frames import repeats_frame

        return repeats_frame([o for o in self.observations if o.control == control])


def load_run(path: Path | str) -> Run:
    """Read a run directory. Raises RunError when it is none or not readable by this version."""
    path = Path(path)
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        version = manifest["schema_version"]
    except FileNotFoundError:
        raise RunError(f"{path} is no run directory: it has no manifest.json") from None
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path / 'manifest.json'} cannot be read: {error}") from None
    if version != SCHEMA_VERSION:
        raise RunError(
            f"{path} has schema version {version}, this stdb-sweep reads {SCHEMA_VERSION}"
        )
    return Run(path, manifest, _whole_steps(_observations(path / "observations.jsonl")))


def _observations(path: Path) -> list[Observation]:
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8", errors="replace")
    *lines, _torn = text.split("\n")
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(Observation.from_dict(json.loads(line)))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise RunError(f"{path}:{number} is not an observation") from None
    return records


def _whole_steps(records: Iterable[Observation]) -> tuple[Observation, ...]:
    """Only steps of which every window is there."""
    steps: dict[tuple[Cell, int, bool], list[Observation]] = defaultdict(list)
    for record in records:
        steps[record.cell, record.repeat, record.control].append(record)
    whole = [group for group in steps.values() if len(group) == group[0].windows]
    return tuple(record for group in whole for record in group)


class RunWriter:
    """The one writer of a run directory."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def create(cls, path: Path, manifest: dict[str, Any]) -> RunWriter:
        """Start a run in the folder `path`."""
        (path / "scrapes").mkdir(exist_ok=True)
        writer = cls(path, {"schema_version": SCHEMA_VERSION} | manifest)
        writer.write_json("manifest.json", writer.manifest)
        return writer

    @classmethod
    def resume(cls, run: Run, manifest: dict[str, Any]) -> RunWriter:
        """Go on with a run. Raises RunError when what must agree does not."""
        for key in MUST_AGREE:
            if run.manifest.get(key) != manifest.get(key):
                raise RunError(
                    f"{run.path} cannot be resumed: its {key} differs: use another --out"
                )
        path = run.path / "observations.jsonl"
        if path.is_file():
            # Steps that are not whole would be read twice once they are measured again.
            _replace(path, "".join(_line(record) for record in run.observations))
        sittings = [*run.manifest.get("sittings", []), *manifest.get("sittings", [])]
        writer = cls(run.path, run.manifest | {"sittings": sittings})
        writer.write_json("manifest.json", writer.manifest)
        return writer

    def append(
        self, observations: Sequence[Observation], scrapes: Sequence[str], step: Step
    ) -> None:
        """Keep one step: its windows' records and the raw scrapes between them."""
        for number, text in enumerate(scrapes):
            name = _scrape_name(step, number)
            with gzip.open(self.path / "scrapes" / name, "wt", encoding="utf-8") as file:
                file.write(text)
        with (self.path / "observations.jsonl").open("a", encoding="utf-8") as file:
            file.write("".join(_line(record) for record in observations))
            file.flush()
            os.fsync(file.fileno())

    def write_json(self, name: str, data: Any) -> None:
        """Strict JSON: NaN and Infinity raise ValueError."""
        _replace(self.path / name, json.dumps(data, indent=1, allow_nan=False) + "\n")

    def write_text(self, name: str, text: str) -> None:
        _replace(self.path / name, text)


def _line(record: Observation) -> str:
    return json.dumps(record.to_dict(), allow_nan=False) + "\n"


def _scrape_name(step: Step, number: int) -> str:
    cell = step.cell
    repeat = "control" if step.block.control else f"r{step.block.repeat}"
    return f"{cell.arm}-s{cell.clients}-r{cell.rows}-{repeat}-{number}.txt.gz"


def _replace(path: Path, text: str) -> None:
    """Write whole or not at all."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def find_run(plan: Plan, root: Path) -> Run | None:
    """The newest unfinished run of the same plan under `root`."""
    if not root.is_dir():
        return None
    for path in sorted(root.iterdir(), reverse=True):
        if not (path / "manifest.json").is_file():
            continue
        try:
            run = load_run(path)
        except RunError:
            continue
        if run.manifest.get("plan") == plan.to_dict() and not run.complete:
            return run
    return None


def new_run_path(root: Path, scenario: str) -> Path:
    """`root/<date>-<scenario>`, numbered from the second of a day on."""
    stem = f"{datetime.date.today().isoformat()}-{scenario}"
    number = 1
    while (path := root / (stem if number == 1 else f"{stem}-{number}")).exists():
        number += 1
    return path
