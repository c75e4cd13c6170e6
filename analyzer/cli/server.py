"""Which server to measure: the options that every verb that measures can share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

SERVER_OPTIONS = (
    click.option(
        "--server-bin",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        metavar="PATH",
        help="Measure this spacetimedb-standalone, started for the occasion.",
    ),
    click.option("--server", metavar="URL", help="Measure a running server."),
    click.option(
        "--token-file",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        metavar="FILE",
        help="Token for --server.",
    ),
    click.option("--allow-remote", is_flag=True, help="Allow a --server that is not loopback."),
)


def server_options(function: F) -> F:
    """Add them to a command."""
    for option in reversed(SERVER_OPTIONS):
        function = option(function)
    return function
