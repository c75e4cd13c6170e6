"""`stdb-sweep review`: every view design side by side, and which one to ship."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli.options import read_file, sweep_options
from analyzer.cli.output import refuse_void
from analyzer.cli.sweep import measured_run, plan_of, preview
from analyzer.errors import UsageError
from analyzer.sweepfile import SweepFile
from analyzer.units import milliseconds, whole_numbers


def _source(
    ctx: click.Context, param: click.Parameter, path: Path | None
) -> SweepFile | Path | None:
    return read_file(ctx, param, path) if path and not path.is_dir() else path


@click.command()
@click.argument(
    "source", type=click.Path(path_type=Path), required=False, is_eager=True, callback=_source
)
@click.option(
    "--at",
    metavar="S,R",
    help="Clients and rows to decide for.  [default: the largest measured]",
)
@sweep_options
def command(
    source: SweepFile | Path | None,
    at: str | None,
    budget: str,
    as_json: bool,
    dry_run: bool,
    **flags: Any,
) -> None:
    """Measure every view design and print the decision page: seeks, cost, ceiling, what moving
    to it takes, and a recommendation with its evidence.

    SOURCE is a run directory, which is reviewed without measuring, or a sweep file; without one
    the flags say what to measure, as --clients 10,50,100 --rooms 8,64,256.
    """
    from analyzer.cli.output import print_document
    from analyzer.report.markdown import render_markdown
    from analyzer.report.reviewed import build_review
    from analyzer.results import analyse_run, write_results
    from analyzer.review import review
    from analyzer.store import RunWriter, load_run

    size = _size(at)
    budget_ms = milliseconds(budget)
    if isinstance(source, Path):
        run = load_run(source)
    else:
        flags["arms"] = flags["arms"] or "all"
        plan = plan_of(flags, source)
        if dry_run:
            preview(plan, as_json=as_json)
            return
        run = measured_run(source, plan, budget_ms, **flags)
    analysis, content = analyse_run(run, budget_ms)
    found = review(run.frame(), analysis, run.plan.definition, size)
    page = build_review(found)
    if not isinstance(source, Path):
        write_results(run, analysis, content)
        RunWriter(run.path, run.manifest).write_text("review.md", render_markdown(page))
    print_document(lambda: found.to_dict() | run.account(), lambda: page, as_json=as_json)
    refuse_void(run)


def _size(at: str | None) -> tuple[int, int] | None:
    if at is None:
        return None
    clients, comma, rows = at.partition(",")
    if not comma:
        raise UsageError(f"--at {at!r}: write clients and rows, as --at 100,1000")
    return whole_numbers(clients, what="at")[0], whole_numbers(rows, what="at")[0]
