"""What was measured at the ceilings of a sweep: small runs in `verify/` of its run directory."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from analyzer.errors import RunError
from analyzer.model.analysis import Analysis
from analyzer.model.cells import usable
from analyzer.model.verify import Verification, Verified, cells_to_verify, verify
from analyzer.plan import Plan
from analyzer.records import Cell
from analyzer.store import Run, load_run

FOLDER = "verify"
RESULT = "verified.csv"
NEAR = 1.25
"""Times more or fewer clients than a ceiling, measured once for it, tell of it still: a ceiling
moves with the budget and the model."""


def read_verification(run: Run, analysis: Analysis) -> Verification | None:
    """What was measured at the ceilings of `analysis`; None when verification never began."""
    if not (run.path / FOLDER).is_dir():
        return None
    found, missing = [], []
    for cell in cells_to_verify(analysis):
        try:
            found.append(_verified(run, analysis, cell))
        except RunError as error:
            missing.append(f"{cell} is not verified: {error}")
    return Verification(tuple(found), tuple(missing))


def unverified_run(plan: Plan, out: Path | None, root: Path = Path("runs")) -> Run | None:
    """The complete run of `plan` at `out`; or else the newest under `root` with --verify due."""
    for path in [out] if out else sorted(root.glob("*"), reverse=True):
        try:
            run = load_run(path)
        except RunError:
            continue
        if run.plan == plan and run.complete and (out or _due(run)):
            return run
    return None


def _due(run: Run) -> bool:
    asked = run.manifest.get("analysis", {}).get("verify")
    return bool(asked) and not (run.path / RESULT).is_file()


def folder_of(run: Run, cell: Cell) -> Path:
    """Where the cell at a ceiling of `run` is measured: `verify/per_sender-s105-r64`."""
    return run.path / FOLDER / f"{cell.arm}-s{cell.clients}-r{cell.rows}"


def plan_at(run: Run, cell: Cell, repeats: int | None = None) -> Plan:
    """How it is measured: as the sweep was, with the sweep's nearest cell before it."""
    clients = tuple(sorted({_nearest(run, cell), cell.clients}))
    return replace(
        run.plan,
        arms=(cell.arm,),
        clients=clients,
        rows=(cell.rows,),
        repeats=repeats or run.plan.repeats,
    )


def _nearest(run: Run, cell: Cell) -> int:
    """The most clients measured up to the ceiling, or else the fewest above it."""
    some = [clients for clients in run.plan.clients if clients]
    return max((s for s in some if s <= cell.clients), default=some[0])


def _verified(run: Run, analysis: Analysis, ceiling: Cell) -> Verified:
    cell, small = _measured_at(run, ceiling)
    measured, repeats, reason = _mean_ms(small, cell)
    if not small.complete or measured is None:
        raise RunError(reason or "its measurement is not complete")
    beside = _nearest(run, cell)
    anchor = replace(cell, clients=beside)
    before, now = _mean_ms(run, anchor)[0], _mean_ms(small, anchor)[0]
    drift = now / before if now and before else None
    return verify(analysis, cell, measured, repeats=repeats, beside=beside, drift=drift)


def _measured_at(run: Run, ceiling: Cell) -> tuple[Cell, Run]:
    """The cell measured nearest to `ceiling`, and the small run that measured it."""
    own = folder_of(run, ceiling)
    if (own / "manifest.json").is_file():
        return ceiling, load_run(own)
    near = []
    for small in small_runs(run):
        for clients in small.plan.clients:
            cell = replace(ceiling, clients=clients)
            if folder_of(run, cell) == small.path:
                pair = sorted((clients, ceiling.clients))
                near.append((pair[1] / pair[0], clients, small))
    times, clients, small = min(near, key=lambda found: found[:2], default=(math.inf, 0, run))
    if times > NEAR:
        raise RunError("it was not measured")
    return replace(ceiling, clients=clients), small


def small_runs(run: Run) -> list[Run]:
    """What was measured for the ceilings of `run`; what cannot be read is left out."""
    found = []
    for path in sorted((run.path / FOLDER).glob("*/manifest.json")):
        with suppress(RunError):
            found.append(load_run(path.parent))
    return found


def _mean_ms(run: Run, cell: Cell) -> tuple[float | None, int, str]:
    """Mean write cost of a cell, over how many repeats, and why there is none."""
    frame = run.frame()
    own = frame[
        (frame["arm"] == cell.arm)
        & (frame["clients"] == cell.clients)
        & (frame["rows"] == cell.rows)
    ]
    whole = usable(own, "write_ms")["write_ms"]
    reasons = "; ".join(dict.fromkeys(filter(None, own["reason"])))
    return (float(whole.mean()) if len(whole) else None), len(whole), reasons
