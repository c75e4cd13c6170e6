"""`stdb-sweep report RUN`: the report of a run again, from its directory alone."""

from __future__ import annotations

from pathlib import Path

import click

from analyzer.errors import UsageError


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--budget", metavar="TIME", help="Another lock budget than the sweep's own.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["terminal", "html", "md", "csv", "json"]),
    help="html is one file with everything inside, csv the cells or records.  [default: terminal]",
)
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FILE", help="A file instead of stdout."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    run: Path, budget: str | None, kind: str | None, output: Path | None, as_json: bool
) -> None:
    """Give the report of the run directory RUN again; nothing is measured, and nothing written
    but FILE.
    """
    if as_json and kind not in (None, "json"):
        raise UsageError(f"--json and --format {kind} exclude each other")
    from analyzer.cli.experiment import refuse_void_records
    from analyzer.cli.output import print_document, refuse_void
    from analyzer.experiments.lab import is_experiment, load_records
    from analyzer.folder import replace_text
    from analyzer.report.formats import experiment_report, run_report
    from analyzer.results import analyse_run
    from analyzer.store import load_run
    from analyzer.units import milliseconds

    if is_experiment(run):
        records = load_records(run)
        report = experiment_report(records)
    else:
        found = load_run(run)
        report = run_report(
            found, *analyse_run(found, None if budget is None else milliseconds(budget))
        )
    kind = "json" if as_json else kind or "terminal"
    if output:
        replace_text(output, report.text(kind))
    elif kind in ("terminal", "json"):
        print_document(report.document, lambda: report.content, as_json=kind == "json")
    else:
        click.echo(report.text(kind), nl=False)
    if is_experiment(run):
        refuse_void_records(records)
    else:
        refuse_void(found)
