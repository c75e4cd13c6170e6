"""`stdb-sweep run FILE`: a sweep or an experiment that is written down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli import load_verb
from analyzer.cli.options import NOT_IN_FILES, read_file, sweep_options
from analyzer.cli.sweep import run_sweep
from analyzer.experiments import EXPERIMENTS
from analyzer.sweepfile import SweepFile, experiment_of, read_sweep_file


class FileCommand(click.Command):
    """A file with `experiment = "..."` becomes the command of that verb, its keys the defaults."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        first = args[0] if args and not args[0].startswith("-") else None
        file = next((word for word in args if word.endswith(".toml")), first)
        name = file and experiment_of(Path(file), EXPERIMENTS)
        if not (file and name):
            return super().make_context(info_name, args, parent, **extra)
        verb = load_verb(name)
        known = {option.name for option in verb.params if option.name} - NOT_IN_FILES
        flags = read_sweep_file(Path(file), known | {"experiment"}).flags
        del flags["experiment"]
        words = [word for word in args if word != file]
        return verb.make_context(name, words, parent, default_map=flags, **extra)


@click.command(cls=FileCommand)
@click.argument("file", type=click.Path(path_type=Path), is_eager=True, callback=read_file)
@sweep_options
def command(file: SweepFile, **flags: Any) -> int:
    """Run what FILE describes: a sweep, such as sweeps/lobby.toml, or an experiment, such as
    sweeps/tables.toml, whose keys are the flags of its verb. Flags win over the file.

    Those that come with the tool go by their names as well: `stdb-sweep run lobby`.
    """
    return run_sweep(file, **flags)
