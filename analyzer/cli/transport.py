"""`stdb-sweep transport`: the same transfers over HTTP, WebSocket and pipelined."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli.server import server_options
from analyzer.cli.types import Folder, Whole

EXAMPLES = """
\b
Examples:
  stdb-sweep transport                            three ways, three runs
  stdb-sweep transport --alpha 0                  accounts drawn evenly
  stdb-sweep transport --depth 64 --calls 100000  more under way, for longer
  stdb-sweep transport --server-bin ~/bin/spacetimedb-standalone
"""


@click.command(epilog=EXAMPLES)
@click.option("--accounts", type=Whole(2, 1_000_000), default=100_000, show_default=True)
@click.option("--alpha", type=float, default=1.5, show_default=True,
              help="Zipf exponent of payers and payees; 0 is uniform.")  # fmt: skip
@click.option("--calls", type=Whole(1), default=20_000, show_default=True,
              help="Transfers of each way in each run.")  # fmt: skip
@click.option("--warmup", type=Whole(1), default=2_000, show_default=True,
              help="Transfers before them, not counted.")  # fmt: skip
@click.option("--connections", type=Whole(1), default=16, show_default=True)
@click.option("--depth", type=Whole(2), default=16, show_default=True,
              help="Calls under way per connection when pipelined.")  # fmt: skip
@click.option("--runs", type=Whole(1), default=3, show_default=True,
              help="Fresh databases; intervals need 2 or more.")  # fmt: skip
@click.option("--seed", type=Whole(0), default=1, show_default=True,
              help="Seed of the transfers and of the order of the ways.")  # fmt: skip
@server_options
@click.option("--out", type=Folder(), metavar="DIR",
              help="Run directory.  [default: runs/<date>-transport]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    server_bin: Path | None,
    server: str | None,
    token_file: Path | None,
    allow_remote: bool,
    out: Path | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Call the same transfers over HTTP, over WebSocket, and over WebSocket pipelined.

    Zipf-distributed accounts, order of the ways rotated between runs, medians over runs. Every
    latency is kept; a run whose total balance is not conserved is void.
    """
    from analyzer.cli.experiment import finish
    from analyzer.cli.progress import Notes
    from analyzer.experiments.transport import Settings, transport
    from analyzer.swarm.loop import run
    from analyzer.target import Target

    target = Target(server_bin, server, token_file, allow_remote)
    found = run(transport(Settings(**flags), target, out=out, note=Notes().note))
    finish(found, as_json=as_json)
