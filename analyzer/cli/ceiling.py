"""`stdb-sweep ceiling RUN_OR_TABLE`: how many clients a lock budget allows."""

from __future__ import annotations

from pathlib import Path

import click

KEYS = ("budget", "budget_ms", "unfinished", "ceilings")
"""What of an analysis is in the JSON document."""


@click.command()
@click.argument("source", metavar="RUN_OR_TABLE", type=click.Path(path_type=Path))
@click.option("--budget", metavar="TIME", help="Lock time a write may take, as 50ms.")
@click.option("--utilization", type=float, metavar="U", help="Share of the lock, 0 to 1.")
@click.option(
    "--writes-per-second", type=float, metavar="W", help="Rate of writes, whatever the clients."
)
@click.option("--writes-per-client", type=float, metavar="w", help="The rate a client adds.")
@click.option("--arm", metavar="NAME", help="One arm only.")
@click.option(
    "--extrapolate", is_flag=True, help="Answer beyond 3 times the clients measured as well."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    source: Path,
    budget: str | None,
    utilization: float | None,
    writes_per_second: float | None,
    writes_per_client: float | None,
    arm: str | None,
    extrapolate: bool,
    as_json: bool,
) -> None:
    """Say how many clients fit a lock budget, for every arm and row count of a run directory or
    a CSV table (see `fit`).

    The budget is a time per write (--budget 50ms), or a share of the lock (--utilization 0.5)
    with a rate of writes: --writes-per-second W, or --writes-per-client w, which grows with the
    clients.
    """
    from analyzer.cli.output import print_document
    from analyzer.cli.source import analyse_source
    from analyzer.errors import UsageError
    from analyzer.model.budget import Budget
    from analyzer.report.ceilings import ceiling_content
    from analyzer.units import milliseconds

    if not any((budget, utilization, writes_per_second, writes_per_client)):
        raise UsageError("which budget? Write --budget 50ms, or --utilization with a rate")
    allowed = Budget(
        milliseconds(budget) if budget else None, utilization, writes_per_second, writes_per_client
    )
    analysis = analyse_source(source, arm, allowed, extrapolate)
    print_document(
        lambda: {key: analysis.to_dict()[key] for key in KEYS},
        lambda: ceiling_content(analysis),
        as_json=as_json,
    )
