"""`stdb-sweep dashboard`: dashboards that subscribe to everything, against dashboards that read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli.types import Folder, Whole

EXAMPLES = """
\b
Examples:
  stdb-sweep dashboard                                  0 to 20: takes 2.5 min
  stdb-sweep dashboard --dashboards 0,1,5,20 --rooms 64 --every 5s
  stdb-sweep dashboard --rate 1 --every 1s --rounds 20  few writes
"""


@click.command(epilog=EXAMPLES)
@click.option("--dashboards", default="0,1,5,20", show_default=True, metavar="LIST",
              help="How many; 0 is always measured.")  # fmt: skip
@click.option("--rooms", type=Whole(1), default=64, show_default=True)
@click.option("--every", default="5s", show_default=True, metavar="TIME",
              help="Time between two looks of a dashboard that reads.")  # fmt: skip
@click.option("--rate", type=float, default=10.0, show_default=True, metavar="N",
              help="Writes a second.")  # fmt: skip
@click.option("--rounds", type=Whole(1), default=4, show_default=True,
              help="Looks of every dashboard; intervals need 2 or more.")  # fmt: skip
@click.option("--seed", type=Whole(0), default=1, show_default=True,
              help="Seed of the order.")  # fmt: skip
@click.option("--out", type=Folder(), metavar="DIR",
              help="Run directory.  [default: runs/<date>-dashboard]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(dashboards: str, every: str, out: Path | None, as_json: bool, **flags: Any) -> None:
    """What dashboards add to a write and to the lock: subscribed to everything, or reading
    /v1/metrics and one row of totals by SQL every few seconds.

    On the embedded engine, in fresh databases. Counts are exact; one that is not as declared makes
    its round void.
    """
    from analyzer.cli.experiment import finish
    from analyzer.cli.progress import Notes
    from analyzer.experiments.dashboard import Settings, dashboard
    from analyzer.swarm.loop import run
    from analyzer.target import Target
    from analyzer.units import milliseconds, whole_numbers

    settings = Settings(
        dashboards=whole_numbers(dashboards, what="dashboards", least=0),
        every_s=milliseconds(every) / 1e3,
        **flags,
    )
    finish(run(dashboard(settings, Target(), out=out, note=Notes().note)), as_json=as_json)
