"""The run directory: what measuring leaves on disk, and all that analysing reads.

`observations.jsonl` grows by one cell at a time: every window of a step in one append, synced.
A killed sweep leaves whole steps and at most one torn line, which loading drops.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.errors import RunError, SweepError
from analyzer.folder import held, replace_text, writing
from analyzer.plan import Plan, Step
from analyzer.records import Cell, Observation, Void
from analyzer.units import counted

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = 1
MUST_AGREE = ("plan", "engine", "module_sha256")
"""Manifest keys that must be equal before two sittings count as one run."""
_KINDS: dict[str, type] = {
    "plan": dict, "engine": dict, "analysis": dict, "sittings": list, "argv": list
}  # fmt: skip


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
    def planned(self) -> list[Step]:
        """All steps, or with `until` those of the repeats that are needed."""
        from analyzer.until import repeats_needed

        needed = repeats_needed(self)
        blocks = (block for block in self.plan.blocks() if block.repeat < needed)
        return [step for block in blocks for step in block.steps()]

    @property
    def complete(self) -> bool:
        done = self.finished
        return all(step.key in done for step in self.planned)

    @property
    def unfinished(self) -> str:
        """How far the run is; nothing when it is whole."""
        if self.complete:
            return ""
        of = counted(len(self.planned), "step")
        return f"{len(self.finished):,} of {of} measured; the same command goes on"

    @property
    def void(self) -> tuple[Void, ...]:
        """Every repeat and drift control that takes no part in anything."""
        found: dict[tuple[Cell, int, bool], list[str]] = {}
        for o in self.observations:
            if o.verdict != "ok":
                found.setdefault((o.cell, o.repeat, o.control), []).extend(o.reasons)
        return tuple(Void(*key, "; ".join(dict.fromkeys(why))) for key, why in found.items())

    def account(self) -> dict[str, Any]:
        """How far the run is and what is void in it, as strict JSON data."""
        return {
            "steps": {"finished": len(self.finished), "planned": len(self.planned)},
            "void": [
                {**asdict(v.cell), "repeat": v.repeat, "control": v.control, "reason": v.reason}
                for v in self.void
            ],
        }

    @property
    def mixed(self) -> str:
        """Why the times of this run are not of one machine; nothing when they are."""
        machines = _machines(self.manifest)
        if len(machines) < 2:
            return ""
        return f"{self.path} was measured on unlike machines ({'; '.join(sorted(machines))})"

    def frame(self, *, control: bool = False) -> pd.DataFrame:
        """One row per cell and repeat (see `analyzer.frames`); drift controls on request."""
        from analyzer.frames import repeats_frame

        chosen = [o for o in self.observations if o.control == control]
        return repeats_frame(chosen, self.plan.definition)


def _machines(manifest: dict[str, Any]) -> set[str]:
    """What the sittings were measured on, where they say."""
    sittings = manifest.get("sittings", [])
    return {f"{s['cpu']}, {s['cores']} cores" for s in sittings if "cpu" in s}


def load_run(path: Path | str) -> Run:
    """Read a run directory. Raises RunError when it is none or not readable by this version."""
    path = Path(path)
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        version = manifest["schema_version"]
    except FileNotFoundError:
        raise RunError(f"{path} is no run directory: it has no manifest.json") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunError(f"{path / 'manifest.json'} cannot be read: {error}") from None
    if version != SCHEMA_VERSION:
        raise RunError(
            f"{path} has schema version {version}, this stdb-sweep reads {SCHEMA_VERSION}"
        )
    for key, kind in _KINDS.items():
        if not isinstance(manifest.get(key, kind()), kind):
            raise RunError(f"{path / 'manifest.json'}: its {key} is {manifest[key]!r}")
    try:
        plan = Plan.from_dict(manifest["plan"])
    except (TypeError, KeyError, ValueError, SweepError) as error:
        raise RunError(f"{path / 'manifest.json'} holds no plan to go by: {error}") from None
    return Run(path, manifest, _whole_steps(_observations(path / "observations.jsonl", plan)))


def _observations(path: Path, plan: Plan) -> list[Observation]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from None
    *lines, _torn = text.split("\n")
    cells = set(plan.cells)
    records = []
    for number, line in enumerate(lines, 1):
        try:
            record = Observation.from_dict(json.loads(line))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise RunError(f"{path}:{number} is not an observation: {error}") from None
        if record.cell not in cells:
            raise RunError(f"{path}:{number}: {record.cell} is not in the plan of this run")
        records.append(record)
    return records


def _whole_steps(records: Iterable[Observation]) -> tuple[Observation, ...]:
    """Only steps of which every window is there; of a window that is there twice, the first."""
    steps: dict[tuple[Cell, int, bool], dict[int, Observation]] = defaultdict(dict)
    for record in records:
        steps[record.cell, record.repeat, record.control].setdefault(record.window, record)
    whole = [group for group in steps.values() if len(group) == next(iter(group.values())).windows]
    return tuple(record for group in whole for record in group.values())


class RunWriter:
    """The one writer of a run directory."""

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest

    @classmethod
    def create(cls, path: Path, manifest: dict[str, Any]) -> RunWriter:
        """Start a run in the folder `path`."""
        with writing(path):
            (path / "scrapes").mkdir(exist_ok=True)
        writer = cls(path, {"schema_version": SCHEMA_VERSION} | manifest)
        writer.write_json("manifest.json", writer.manifest)
        return writer

    @classmethod
    def resume(cls, run: Run, manifest: dict[str, Any]) -> RunWriter:
        """Go on with a run. Raises RunError when what must agree, or the machine, does not."""
        try:
            check_agrees(run, manifest, MUST_AGREE)
        except RunError as error:
            raise RunError(f"{error}: it cannot be resumed: use another --out") from None
        before, here = _machines(run.manifest), _machines(manifest)
        if before and here and before != here:
            raise RunError(
                f"{run.path} cannot be resumed: it was measured on {'; '.join(sorted(before))}, "
                f"this is {'; '.join(sorted(here))}: use another --out"
            )
        path = run.path / "observations.jsonl"
        if path.is_file():
            # Steps that are not whole would be read twice once they are measured again.
            replace_text(path, "".join(_line(record) for record in run.observations))
        sittings = [*run.manifest.get("sittings", []), *manifest.get("sittings", [])]
        writer = cls(run.path, run.manifest | {"sittings": sittings})
        writer.write_json("manifest.json", writer.manifest)
        return writer

    def append(
        self, observations: Sequence[Observation], scrapes: Sequence[str], step: Step
    ) -> None:
        """Keep one step: its windows' records and the raw scrapes between them."""
        with writing(self.path):
            for number, text in enumerate(scrapes):
                name = _scrape_name(step, number)
                with gzip.open(self.path / "scrapes" / name, "wt", encoding="utf-8") as scrape:
                    scrape.write(text)
            with (self.path / "observations.jsonl").open("a", encoding="utf-8") as file:
                file.write("".join(_line(record) for record in observations))
                file.flush()
                os.fsync(file.fileno())

    def write_json(self, name: str, data: Any) -> None:
        """Strict JSON: NaN and Infinity raise ValueError."""
        replace_text(self.path / name, json.dumps(data, indent=1, allow_nan=False) + "\n")

    def write_text(self, name: str, text: str) -> None:
        replace_text(self.path / name, text)


def check_agrees(run: Run, manifest: dict[str, Any], keys: Iterable[str]) -> None:
    """Raises RunError with the first of `keys` in which a run differs from what is at hand."""
    for key in keys:
        if run.manifest.get(key) != manifest.get(key):
            raise RunError(f"{run.path}: its {key} differs from what is at hand")


def _line(record: Observation) -> str:
    return json.dumps(record.to_dict(), allow_nan=False) + "\n"


def _scrape_name(step: Step, number: int) -> str:
    cell = step.cell
    repeat = "control" if step.block.control else f"r{step.block.repeat}"
    return f"{cell.arm}-s{cell.clients}-r{cell.rows}-{repeat}-{number}.txt.gz"


def find_run(plan: Plan, root: Path) -> Run | None:
    """The newest unfinished run of the same plan under `root` that no other sweep is in."""
    if not root.is_dir():
        return None
    for path in sorted(root.iterdir(), reverse=True):
        if not (path / "manifest.json").is_file():
            continue
        try:
            with held(path):
                run = load_run(path)
        except RunError:
            continue
        if run.manifest.get("plan") == plan.to_dict() and not run.complete:
            return run
    return None
