"""The command line: one module per verb, imported when the verb is used."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from typing import TextIO

import click

from analyzer.errors import SweepError

VERBS = {
    "ceiling": "say how many clients a lock budget allows",
    "check": "hold a run to assertions on counts, costs and ceilings, for CI",
    "compare": "what changed between two runs, or two arms of one",
    "dashboard": "dashboards that subscribe to everything, against dashboards that read",
    "doctor": "is all here that a sweep needs? machine, installation, server, metrics",
    "engine": "build, find or start the embedded engine",
    "fit": "fit the cost model to a run or to any table",
    "inspect": "list the views of a live database and what they have cost",
    "noise": "say how small a change a run could have seen",
    "published": "refit the article's tables and set its ceilings beside ours",
    "report": "print the report of a run again",
    "residue": "what clients that left go on costing, until the cleanup of views",
    "review": "set every view design side by side and say which to ship",
    "run": "run a sweep file, such as sweeps/lobby.toml",
    "scenarios": "list the scenarios with their arms and axes",
    "tables": "poker tables opened in one transaction, and their hand loops",
    "verify": "measure the cells at the ceilings of a run and report the miss",
    "transport": "the same transfers over HTTP, WebSocket and pipelined",
}


class Verbs(click.Group):
    """Verbs are imported when used: `--help` must not wait for numpy."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        return load_verb(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(sorted(VERBS.items()))


def load_verb(name: str) -> click.Command:
    """The command of one of `VERBS`."""
    command: click.Command = importlib.import_module(f"analyzer.cli.{name}").command
    return command


def main() -> None:
    """Errors of ours are one line on stderr and their own exit code."""
    _open_standard_streams()
    code: int | None
    try:
        from analyzer.cli.sweep import command

        code = command.main(standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        code = _failed(_in_one_line(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        code = _failed("interrupted", 130)
    except SweepError as error:
        code = _failed(_with_notes(error), error.exit_code)
    except BrokenPipeError:
        # The reader of our output has left; nothing of ours is lost.
        code = 1
        _drop(sys.stdout)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        code = _failed(f"{where}{error.strerror}", 1)
        _drop(sys.stdout)
    sys.exit(code)


def _in_one_line(error: click.ClickException) -> str:
    """`--writes: '1.5' is not a valid whole number.`, where click would print four lines."""
    text = error.format_message()
    if isinstance(error, click.BadParameter) and error.param and error.message:
        text = f"{error.param.opts[0]}: {error.message}"
    return " ".join(text.split())


def _with_notes(error: SweepError) -> str:
    """Each note once, as a sentence of its own."""
    text = str(error)
    for note in dict.fromkeys(getattr(error, "__notes__", [])):
        text = text.removesuffix(".")
        text += (" " if text.endswith("?") else ". ") + note[:1].upper() + note[1:]
    return text


def _failed(text: str, code: int) -> int:
    with contextlib.suppress(OSError):
        print(f"stdb-sweep: {text}", file=sys.stderr)
    return code


def _open_standard_streams() -> None:
    """Started with a closed stdin, stdout or stderr, the next file opened would take its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(number, "w" if number else "r"))


def _drop(stream: TextIO) -> None:
    """What is still in its buffer cannot be written: Python must not try again at its end."""
    with contextlib.suppress(OSError):
        stream.close()
