"""`stdb-sweep engine build|path|start`: the embedded engine."""

from __future__ import annotations

import os
import sys

import click


@click.group()
def command() -> None:
    """The embedded engine: the published SpacetimeDB engine crate, built on this machine.

    The engine crates are under the Business Source License 1.1; they are built locally from
    crates.io and no binary of them is shipped.
    """


@command.command()
def build() -> None:
    """Build the engine and the test modules.

    What is built for these sources already is not built again. The engine takes about 15 minutes
    on two cores, once; an interrupted build goes on where it stopped.
    """
    from analyzer.build.engine import build_engine
    from analyzer.build.modules import build_modules

    build_modules()
    click.echo(build_engine())


@command.command()
def path() -> None:
    """Print where the built engine is."""
    from analyzer.build.engine import engine_binary

    click.echo(engine_binary())


@command.command()
@click.option(
    "--listen",
    default="127.0.0.1:3000",
    show_default=True,
    metavar="ADDRESS",
    help="A loopback address; port 0 picks a free one.",
)
def start(listen: str) -> None:
    """Run the engine in the foreground until Ctrl-C."""
    from analyzer.build.engine import engine_binary

    binary = engine_binary()
    sys.stdout.flush()
    os.execv(binary, [str(binary), "--listen", listen])
