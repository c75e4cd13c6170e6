"""Results on stdout: a report for people, or one JSON document."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click
from rich.console import Console

from analyzer.errors import VoidCells
from analyzer.report.layout import Content
from analyzer.report.terminal import render_terminal
from analyzer.store import Run
from analyzer.verification import small_runs

_NARROWEST = 20


def refuse_void(run: Run) -> None:
    """Raises VoidCells, exit 3, when a count of the run, or of what was measured for its ceilings,
    was not what it had to be.

    A cell is void when it has no whole repeat, as in cells.csv.
    """
    if run.void:
        raise VoidCells(f"{_void_of(run)}; the report says why")
    for small in small_runs(run):
        if small.void:
            raise VoidCells(f"{_void_of(small)}; stdb-sweep report {small.path} says why")


def _void_of(run: Run) -> str:
    every = {(o.cell, o.repeat) for o in run.observations if not o.control}
    whole = every - {(v.cell, v.repeat) for v in run.void if not v.control}
    cells = len({cell for cell, _ in every} - {cell for cell, _ in whole})
    void = [
        f"void cells: {cells} of {len(run.plan.cells)}" if cells else "",
        f"void repeats: {len(every) - len(whole)} of {len(every)}" if whole != every else "",
        "void drift control" if any(v.control for v in run.void) else "",
    ]
    return ", ".join(filter(None, void))


def print_document(
    document: Callable[[], Any], content: Callable[[], Content], *, as_json: bool
) -> None:
    """Print the one of the two that was asked for; JSON is strict."""
    if as_json:
        click.echo(json.dumps(document(), indent=1, allow_nan=False))
    else:
        console = Console(highlight=False)
        if console.width < _NARROWEST:
            # COLUMNS=0 is what some terminals say that do not know: nothing at all would show.
            console.width = 80
        render_terminal(content(), console)
