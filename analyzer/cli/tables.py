"""`stdb-sweep tables`: poker tables opened in one transaction, and their hand loops."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli.server import server_options, target_of
from analyzer.cli.types import Folder, Whole

EXAMPLES = """
\b
Examples:
  stdb-sweep tables                            1 to 1,000 tables: takes 17 min
  stdb-sweep tables --tables 128 --watch 5min  one hall, watched for longer
  stdb-sweep tables --tables 1,10,100 --clock 1s --watch 10s --repeats 1
"""


@click.command(epilog=EXAMPLES)
@click.option("--tables", default="1,10,100,1000", show_default=True, metavar="LIST",
              help="Tables N, opened in one transaction.")  # fmt: skip
@click.option("--clock", default="20s", show_default=True, metavar="TIME",
              help="Time of a hand that goes to the showdown.")  # fmt: skip
@click.option("--watch", default="60s", show_default=True, metavar="TIME",
              help="How long the hand loops are watched.")  # fmt: skip
@click.option("--repeats", type=Whole(1), default=3, show_default=True,
              help="Fresh databases for each number of tables.")  # fmt: skip
@server_options
@click.option("--out", type=Folder(), metavar="DIR",
              help="Run directory.  [default: runs/<date>-tables]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(
    tables: str, clock: str, watch: str, repeats: int, out: Path | None, as_json: bool, **flags: Any
) -> None:
    """Open N poker tables in one transaction, seat eight bots at each and let them play.

    Rows and index seeks of the opening must be 38*N and 31*N; then the hands, and what the
    scheduled reducer that plays them costs.
    """
    from analyzer.cli.experiment import finish
    from analyzer.cli.progress import Notes
    from analyzer.experiments.tables import Settings
    from analyzer.experiments.tables import tables as measured
    from analyzer.swarm.loop import run
    from analyzer.units import milliseconds, whole_numbers

    settings = Settings(
        tables=whole_numbers(tables, what="tables"),
        clock_s=milliseconds(clock) / 1e3,
        watch_s=milliseconds(watch) / 1e3,
        repeats=repeats,
    )
    target = target_of(flags)
    finish(run(measured(settings, target, out=out, note=Notes().note)), as_json=as_json)
