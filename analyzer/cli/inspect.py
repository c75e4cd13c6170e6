"""`stdb-sweep inspect DATABASE`: the views of a live database and what they cost."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("database")
@click.option(
    "--server", default="http://127.0.0.1:3000", show_default=True, metavar="URL", help="Where."
)
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Token for the server.",
)
@click.option("--allow-remote", is_flag=True, help="Allow a --server that is not loopback.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    database: str, server: str, token_file: Path | None, allow_remote: bool, as_json: bool
) -> None:
    """List the views of DATABASE: per sender or anonymous, their parameters, their calls and cost
    since the server started, and the reducers that make them run. Nothing is written."""
    from analyzer.cli.output import print_document
    from analyzer.inspection import Inspection, inspect
    from analyzer.report.inspected import build_inspection
    from analyzer.stdb.http import StdbHttp
    from analyzer.swarm.loop import run
    from analyzer.target.remote import running_server

    async def look() -> Inspection:
        async with (
            running_server(server, token_file=token_file, allow_remote=allow_remote) as found,
            StdbHttp(found.url, token=found.token) as http,
        ):
            return await inspect(http, database)

    inspection = run(look())
    print_document(inspection.to_dict, lambda: build_inspection(inspection), as_json=as_json)
