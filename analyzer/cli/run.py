"""`stdb-sweep run FILE`: a sweep that is written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli.options import sweep_options
from analyzer.cli.sweep import run_sweep
from analyzer.sweepfile import SweepFile, read_sweep_file


def _read(ctx: click.Context, _: click.Parameter, path: Path) -> SweepFile:
    """What stands in the file takes the place of the defaults, so that flags win."""
    names = {param.name for param in ctx.command.params if isinstance(param, click.Option)}
    known = names - {"as_json", "help", "i_own_this_database", "allow_remote"}
    sweep_file = read_sweep_file(path, {name for name in known if name})
    ctx.default_map = sweep_file.flags
    return sweep_file


@click.command()
@click.argument("file", type=click.Path(path_type=Path), is_eager=True, callback=_read)
@sweep_options
def command(file: SweepFile, **flags: Any) -> int:
    """Run the sweep that FILE describes, such as sweeps/lobby.toml. Flags win over the file."""
    return run_sweep(file, **flags)
