"""`--verify`: a sweep's own ceilings, measured."""

from __future__ import annotations

from analyzer.controller import Progress, sweep
from analyzer.errors import PreflightError, RunError, UsageError
from analyzer.folder import held, writing
from analyzer.model.analysis import Analysis
from analyzer.model.verify import Verification, cells_to_verify, verified_csv
from analyzer.plan import Plan
from analyzer.preflight import check_machine
from analyzer.store import Run, RunWriter, load_run
from analyzer.target import Target
from analyzer.verification import FOLDER, RESULT, folder_of, plan_at, read_verification

MOST_CLIENTS = 5000
"""Ceilings beyond are not run: such a swarm leaves two cores no time for the lock."""


def check_verifiable(plan: Plan) -> None:
    """Raises UsageError for a database that exists: clients that left would be paid for again."""
    if plan.definition.database:
        raise UsageError("ceilings are verified in fresh databases: leave out --database")


async def verify_ceilings(
    run: Run,
    analysis: Analysis,
    target: Target | None = None,
    *,
    repeats: int | None = None,
    fast: bool = False,
    progress: Progress | None = None,
) -> Verification:
    """Measure the cell at every finite ceiling of `analysis`, the analysis of `run`.

    Beside it, in the same databases, the nearest cell of the sweep once more: what the machine
    has done since. Each goes to a run directory of its own under `verify/`; those that are
    complete are left alone, so that it goes on where it stopped. `repeats` defaults to the
    sweep's own. At the end it leaves verified.csv; the sweep's own files stay as they are.

    Raises SweepError of the fitting kind, such as RunError when engine or module differ.
    """
    progress = progress or Progress()
    check_verifiable(run.plan)
    if not run.complete:
        raise RunError(f"{run.path} is not complete: the command that began it goes on with it")
    with writing(run.path):
        (run.path / FOLDER).mkdir(exist_ok=True)
    with held(run.path):
        for cell in cells_to_verify(analysis):
            path, plan = folder_of(run, cell), plan_at(run, cell, repeats)
            if why := _out_of_reach(plan):
                progress.note(f"{cell} is not measured: {why}")
            elif not ((path / "manifest.json").is_file() and load_run(path).complete):
                await sweep(
                    plan, target, out=path, fast=fast, verifies=run, progress=progress,
                    analysis={"budget_ms": analysis.budget.write_ms},
                )  # fmt: skip
        found = read_verification(run, analysis)
        assert found is not None, "its folder was made above"
        RunWriter(run.path, run.manifest).write_text(RESULT, verified_csv(found))
    return found


def _out_of_reach(plan: Plan) -> str:
    if max(plan.clients) > MOST_CLIENTS:
        return f"it takes more than {MOST_CLIENTS:,} clients"
    try:
        check_machine(plan)
    except PreflightError as error:
        return str(error)
    return ""
