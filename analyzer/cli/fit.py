"""`stdb-sweep fit RUN_OR_TABLE`: every form fitted to every arm."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("source", metavar="RUN_OR_TABLE", type=click.Path(path_type=Path))
@click.option("--arm", metavar="NAME", help="One arm only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(source: Path, arm: str | None, as_json: bool) -> None:
    """Fit the cost model to a run directory, or to a CSV table with the columns clients, rows,
    write_ms (ms of lock per write), and optionally repeat and arm.

    Each arm gets the form its cells support, every other form beside it, and how well each
    foretells the most clients from the rest.
    """
    from analyzer.cli.output import print_document
    from analyzer.cli.source import analyse_source
    from analyzer.model.export import model_document
    from analyzer.report.modelled import fit_content

    analysis = analyse_source(source, arm)
    print_document(lambda: model_document(analysis), lambda: fit_content(analysis), as_json=as_json)
