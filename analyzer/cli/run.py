"""`stdb-sweep run FILE`: a sweep that is written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli.options import read_file, sweep_options
from analyzer.cli.sweep import run_sweep
from analyzer.sweepfile import SweepFile


@click.command()
@click.argument("file", type=click.Path(path_type=Path), is_eager=True, callback=read_file)
@sweep_options
def command(file: SweepFile, **flags: Any) -> int:
    """Run the sweep that FILE describes. Flags win over the file.

    The name of a sweep that comes with the tool does as well: `stdb-sweep run lobby`.
    """
    return run_sweep(file, **flags)
