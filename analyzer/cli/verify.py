"""`stdb-sweep verify RUN`: the ceilings of a run, measured. `--verify` on a sweep is the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from analyzer.cli.server import server_options, target_of
from analyzer.cli.types import Whole

if TYPE_CHECKING:
    from analyzer.store import Run


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--budget", metavar="TIME", help="Another lock budget than the sweep's own.")
@click.option(
    "--repeats",
    type=Whole(1),
    help="Fresh databases per ceiling.  [default: as many as the sweep]",
)
@click.option(
    "--client",
    type=click.Choice(["auto", "websockets", "picows"]),
    default="auto",
    show_default=True,
    help="Subscriber library.",
)
@server_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    run: Path, budget: str | None, repeats: int | None, as_json: bool, **flags: Any
) -> None:
    """Measure the cell at every finite ceiling of the run directory RUN, and print predicted
    against measured cost, where the budget is crossed, and by how much the ceiling missed that.

    It goes to verify/ in RUN; the run's own cells and fits stay. The same command goes on with
    one that was interrupted.
    """
    from analyzer.cli.output import print_document, refuse_void
    from analyzer.report.layout import Content
    from analyzer.report.verified import verified_section
    from analyzer.results import analyse_run, write_results
    from analyzer.store import load_run
    from analyzer.units import milliseconds

    found = load_run(run)
    budget_ms = None if budget is None else milliseconds(budget)
    verified_run(found, budget_ms, repeats=repeats, **flags)
    analysis, content = analyse_run(found, budget_ms)
    if budget is None:
        write_results(found, analysis, content)
    verification = analysis.verification
    assert verification is not None, "it was measured just now"
    print_document(
        lambda: [item.to_dict() for item in verification.found],
        lambda: Content("Ceilings against the engine", (verified_section(verification),)),
        as_json=as_json,
    )
    refuse_void(found)


def verified_run(
    run: Run, budget_ms: float | None, *, repeats: int | None, client: str, **flags: Any
) -> None:
    """Measure the ceilings of `run` with progress on stderr. An interrupt ends with 130."""
    from analyzer.cli.progress import LiveProgress, keeping
    from analyzer.results import analyse_run
    from analyzer.stdb.connection import wants_picows
    from analyzer.swarm.loop import run as run_loop
    from analyzer.verifier import verify_ceilings

    target = target_of(flags)
    analysis, _ = analyse_run(run, budget_ms)
    progress = LiveProgress()
    with keeping(progress):
        run_loop(
            verify_ceilings(
                run,
                analysis,
                target,
                repeats=repeats,
                fast=wants_picows(client),
                progress=progress,
            )
        )
