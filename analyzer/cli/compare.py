"""`stdb-sweep compare BASE NEW`: what changed between two runs, or two arms of one."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path), required=False)
@click.option("--arms", metavar="A,B", help="Two arms of BASE, in the place of NEW.")
@click.option("--force", is_flag=True, help="Compare unlike runs too, naming what differs.")
@click.option("--markdown", is_flag=True, help="For a pull request.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    base: Path, new: Path | None, arms: str | None, force: bool, markdown: bool, as_json: bool
) -> None:
    """Compare the run directories BASE and NEW cell by cell, or two arms of one run: counts
    exactly, costs as ratios NEW/BASE with 95 % intervals, ~ where they are not told apart.

    Runs that differ in server, version, protocol, subscribers, module, windows or machine are
    refused, unless --force is given.
    """
    from analyzer.cli.output import print_document
    from analyzer.comparison import compare
    from analyzer.errors import UsageError
    from analyzer.report.compared import build_comparison
    from analyzer.report.markdown import render_markdown
    from analyzer.store import load_run

    if (new is None) == (arms is None):
        raise UsageError("compare what? Write two run directories, or one and --arms A,B")
    pair = None
    if arms is not None:
        names = tuple(name.strip() for name in arms.split(","))
        if len(names) != 2:
            raise UsageError(f"--arms {arms!r}: write two arms, as --arms per_sender,anonymous")
        pair = (names[0], names[1])
    found = compare(load_run(base), load_run(new) if new else None, arms=pair, force=force)
    if markdown and not as_json:
        click.echo(render_markdown(build_comparison(found)), nl=False)
    else:
        print_document(found.to_dict, lambda: build_comparison(found), as_json=as_json)
