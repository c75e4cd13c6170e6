"""`stdb-sweep fit RUN_OR_TABLE`: every form fitted to every arm."""

from __future__ import annotations

from pathlib import Path

import click

from analyzer.cli.types import Whole


@click.command()
@click.argument("source", metavar="RUN_OR_TABLE", type=click.Path(path_type=Path))
@click.option("--arm", metavar="NAME", help="One arm only.")
@click.option("--rows", metavar="LIST", help="Cells of these row counts only.")
@click.option(
    "--train-up-to",
    type=Whole(1),
    metavar="S",
    help="Train on at most S clients and show how well the cells of more are foretold.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    source: Path, arm: str | None, rows: str | None, train_up_to: int | None, as_json: bool
) -> None:
    """Fit the cost model to a run directory, or to a CSV table with the columns clients, rows,
    write_ms (ms of lock per write), and optionally repeat and arm.

    Each arm gets the form its cells support, every other form beside it, and how well each
    foretells the most clients from the rest.
    """
    from analyzer.cli.output import print_document
    from analyzer.cli.source import analyse_source, foretell_source
    from analyzer.model.export import model_document
    from analyzer.report.foretold import foresight_content
    from analyzer.report.modelled import fit_content
    from analyzer.units import whole_numbers

    only = whole_numbers(rows, what="rows") if rows is not None else ()
    if train_up_to is not None:
        found, refused = foretell_source(source, arm, train_up_to, only)
        print_document(
            lambda: [item.to_dict() for item in found],
            lambda: foresight_content(found, refused),
            as_json=as_json,
        )
        return
    analysis = analyse_source(source, arm, rows=only)
    print_document(lambda: model_document(analysis), lambda: fit_content(analysis), as_json=as_json)
