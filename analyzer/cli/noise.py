"""`stdb-sweep noise RUN`: how small a change this run could have seen."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(run: Path, as_json: bool) -> None:
    """Set the run directory RUN against itself, as if two runs of one thing had been compared,
    and say for each arm the smallest change of cost that would be told apart in 4 of 5 cases.
    """
    from analyzer.cli.output import print_document
    from analyzer.noise import noise
    from analyzer.report.noisy import build_noise
    from analyzer.store import load_run

    arms = noise(load_run(run))
    print_document(
        lambda: [arm.to_dict() for arm in arms],
        lambda: build_noise(arms),
        as_json=as_json,
    )
