"""`stdb-sweep published`: the article's tables, refitted by the same code as any run."""

from __future__ import annotations

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(as_json: bool) -> None:
    """Refit the article's tables and set its formulas and ceilings beside ours.

    Where the two part, it says so; the fit is never bent to meet the article.
    """
    from analyzer.cli.output import print_document
    from analyzer.published import published_document
    from analyzer.report.published import published_content

    print_document(published_document, published_content, as_json=as_json)
