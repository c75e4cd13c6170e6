"""The command line: one module per verb, imported when the verb is used."""

from __future__ import annotations

import importlib
import sys

import click

from analyzer.errors import SweepError

VERBS = {
    "ceiling": "say how many clients a lock budget allows",
    "engine": "build, find or start the embedded engine",
    "fit": "fit the cost model to a run or to any table",
    "published": "refit the article's tables and set its ceilings beside ours",
    "report": "print the report of a run again",
    "scenarios": "list the scenarios with their arms and axes",
}


class Verbs(click.Group):
    """Verbs are imported when used: `--help` must not wait for numpy."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"analyzer.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl(sorted(VERBS.items()))


def main() -> None:
    """Errors of ours are one line on stderr and their own exit code."""
    from analyzer.cli.sweep import command

    try:
        code = command.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except click.Abort:
        code = 130
    except SweepError as error:
        print(f"stdb-sweep: {error}", file=sys.stderr)
        code = error.exit_code
    except KeyboardInterrupt:
        print("stdb-sweep: interrupted", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        # The reader of our output has left; nothing of ours is lost.
        sys.stderr.close()
        code = 1
    sys.exit(code)
