"""Which server to measure: the options that every verb that measures can share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from analyzer.target import Target

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


def target_of(flags: Mapping[str, Any]) -> Target:
    """The target that these options name. Raises UsageError for options that exclude each other."""
    from analyzer.target import Target

    names = ("server_bin", "server", "token_file", "allow_remote")
    return Target(*(flags[name] for name in names))
