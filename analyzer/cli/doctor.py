"""`stdb-sweep doctor`: is all here that a sweep needs?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from analyzer.cli.server import server_options, target_of


@click.command()
@server_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(as_json: bool, **flags: Any) -> None:
    """Look at this machine, this installation and the server: load, governor, limits, versions,
    one write through and through, and which metrics the server has.

    Ends with 1 when something stops a sweep.
    """
    from analyzer.cli.output import print_document
    from analyzer.doctor import State, examine
    from analyzer.errors import PreflightError
    from analyzer.report.layout import Content, Section, Table
    from analyzer.swarm.loop import run

    target = target_of(flags)
    checks = run(examine(target))
    rows = tuple((str(check.state), check.name, check.text) for check in checks)
    table = Table("", ("", "check", "what was found"), rows, labels=3)
    content = Content("stdb-sweep: doctor", (Section("Fit for a sweep?", (table,)),))
    print_document(lambda: [asdict(check) for check in checks], lambda: content, as_json=as_json)
    bad = [check.name for check in checks if check.state is State.BAD]
    if bad:
        raise PreflightError(f"this stops a sweep: {', '.join(bad)}")
