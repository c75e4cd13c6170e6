"""`stdb-sweep report RUN`: the report of a run again, from its directory alone."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--budget", metavar="TIME", help="Another lock budget than the sweep's own.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(run: Path, budget: str | None, as_json: bool) -> None:
    """Print the report of the run directory RUN again; nothing is measured or written."""
    from analyzer.cli.experiment import refuse_void_records
    from analyzer.cli.output import print_document, refuse_void
    from analyzer.experiments.lab import is_experiment, load_records
    from analyzer.report.experiments import experiment_content
    from analyzer.results import analyse_run, run_document
    from analyzer.store import load_run
    from analyzer.units import milliseconds

    if is_experiment(run):
        records = load_records(run)
        print_document(
            lambda: list(records.records), lambda: experiment_content(records), as_json=as_json
        )
        refuse_void_records(records)
        return
    found = load_run(run)
    analysis, content = analyse_run(found, None if budget is None else milliseconds(budget))
    print_document(
        lambda: analysis.to_dict() | run_document(found), lambda: content, as_json=as_json
    )
    refuse_void(found)
