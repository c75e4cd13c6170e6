"""`stdb-sweep residue`: what clients that left go on costing, until the cleanup of views."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli.types import Folder, Whole

EXAMPLES = """
\b
Examples:
  stdb-sweep residue                           20 clients leave: takes 21 min
  stdb-sweep residue --leave-min 9 --every 5s  the cleanup comes 11 min later
  stdb-sweep residue --churn 4 --minutes 60    4 clients a minute come and go
  stdb-sweep residue --expire-now              the cleanup is called at once
"""


@click.command(epilog=EXAMPLES)
@click.option("--clients", type=Whole(1), default=20, show_default=True)
@click.option("--rooms", type=Whole(1), default=64, show_default=True)
@click.option("--leave-min", type=float, default=3.5, show_default=True, metavar="MIN",
              help="Minutes from the database's launch to the clients' leaving.")  # fmt: skip
@click.option("--every", default="15s", show_default=True, metavar="TIME",
              help="Time between two writes.")  # fmt: skip
@click.option("--churn", type=float, metavar="N",
              help="Clients a minute that leave, each replaced by a new one.")  # fmt: skip
@click.option("--minutes", type=float, default=45.0, show_default=True, metavar="MIN",
              help="Length of a --churn.")  # fmt: skip
@click.option("--expire-now", is_flag=True,
              help="Call the embedded engine's cleanup instead of waiting for it.")  # fmt: skip
@click.option("--out", type=Folder(), metavar="DIR",
              help="Run directory.  [default: runs/<date>-residue]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(every: str, out: Path | None, as_json: bool, **flags: Any) -> None:
    """Connect clients, let them leave, go on writing: seeks per write until the cleanup.

    In real time, on the embedded engine. The lag is compared with the engine's rule: a client that
    leaves t minutes after the launch is gone at 10*ceil((t+10)/10).
    """
    from analyzer.cli.experiment import finish
    from analyzer.cli.progress import Notes
    from analyzer.experiments.residue import Settings, residue
    from analyzer.swarm.loop import run
    from analyzer.target import Target
    from analyzer.units import milliseconds

    settings = Settings(every_s=milliseconds(every) / 1e3, **flags)
    finish(run(residue(settings, Target(), out=out, note=Notes().note)), as_json=as_json)
