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

_NARROWEST = 20


def refuse_void(run: Run) -> None:
    """Raises VoidCells, exit 3, when a count of the run was not what it had to be."""
    cells = {o.cell for o in run.observations if o.verdict != "ok"}
    if cells:
        raise VoidCells(f"void cells: {len(cells)} of {len(run.plan.cells)}; the report says why")


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
