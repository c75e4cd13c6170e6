"""The options of a sweep, shared by the main job and by `run`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from analyzer.cli.server import SERVER_OPTIONS
from analyzer.cli.types import Folder, Whole
from analyzer.plan import SUBSCRIBERS
from analyzer.sweepfile import SweepFile, read_sweep_file

NOT_IN_FILES = {
    "allow_remote", "as_json", "at", "dry_run", "fast", "help", "i_own_this_database", "rigorous"
}  # fmt: skip
PRESETS: dict[str, dict[str, int]] = {
    "fast": {"repeats": 2, "windows": 1, "warmup": 1},
    "rigorous": {"repeats": 7, "windows": 3, "warmup": 5},
}

F = TypeVar("F", bound=Callable[..., Any])


def _preset(ctx: click.Context, param: click.Parameter, given: bool) -> None:
    """A preset takes the place of the defaults and of a sweep file, so that flags win."""
    if given:
        ctx.default_map = {**(ctx.default_map or {}), **PRESETS[param.name or ""]}


def _preset_option(name: str, words: str) -> Callable[[F], F]:
    numbers = ", ".join(f"--{flag} {number}" for flag, number in PRESETS[name].items())
    return click.option(
        f"--{name}",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_preset,
        help=f"{words}: {numbers}; flags of your own win.",
    )


_OPTIONS = (
    click.option("--clients", metavar="LIST", help="Subscribers S; 0 is added as the baseline."),
    click.option("--rooms", metavar="LIST", help="Rooms G of the lobby scenario."),
    click.option("--entrants", metavar="LIST", help="Entrants F of the tournament scenario."),
    click.option(
        "--module-language",
        type=click.Choice(["rust", "typescript"]),
        default="rust",
        show_default=True,
        help="Of the test module; the lobby in TypeScript needs a server with V8.",
    ),
    click.option("--arms", metavar="NAMES", help="View designs to measure, or all."),
    click.option(
        "--module", metavar="FILE", help="Measure a module of your own: .wasm, or .js for V8."
    ),
    click.option(
        "--database",
        metavar="NAME",
        help="Measure a database of --server as it is, instead of fresh ones.",
    ),
    click.option(
        "--i-own-this-database",
        metavar="NAME",
        help="Allow clients and writes in this one --database.",
    ),
    click.option("--rows", metavar="LIST", help="Rows R of a module of your own.  [default: 1]"),
    click.option(
        "--view",
        "views",
        multiple=True,
        metavar="VIEW",
        help="What clients subscribe to: 'name', 'name({i})' or SQL; may be repeated.",
    ),
    click.option("--write", metavar="CALL", help="The write to measure, as 'reducer({i}, 5)'."),
    click.option(
        "--seed-call",
        metavar="CALL",
        help="Fills each fresh database, as 'reducer({rows})'. (--seed is that of the order.)",
    ),
    click.option(
        "--client-call",
        metavar="CALL",
        help="What each client calls before it subscribes, as 'join({client})'.",
    ),
    click.option(
        "--expect",
        multiple=True,
        metavar="NAME=COUNT",
        help="Hold cells to a count per write: seeks, view_calls, rows_scanned or deliveries, "
        "as 'seeks=S*(4*R+1)+1'; may be repeated.",
    ),
    click.option(
        "--budget",
        metavar="TIME",
        default="50ms",
        show_default=True,
        help="Lock time a write may cost: a ceiling is the most clients within it.",
    ),
    _preset_option("fast", "A first look"),
    _preset_option("rigorous", "Narrow intervals"),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Print cells, order, estimated time and memory; measure nothing.",
    ),
    click.option(
        "--verify",
        is_flag=True,
        help="Measure the cells at the ceilings as well: what they missed.",
    ),
    click.option(
        "--repeats",
        type=Whole(1),
        help="Fresh databases per cell; intervals need 2 or more.  [default: 3]",
    ),
    click.option(
        "--until",
        metavar="PERCENT",
        help="Repeat only until each arm's cost is known to so many percent, as 5%: at least 3 "
        "times, at most --repeats.  [default of --repeats then: 10]",
    ),
    click.option(
        "--windows",
        type=Whole(1),
        default=2,
        show_default=True,
        help="Windows of writes per cell and repeat.",
    ),
    click.option(
        "--warmup",
        type=Whole(1),
        default=2,
        show_default=True,
        help="Writes before the first window, not counted.",
    ),
    click.option(
        "--writes",
        type=Whole(1),
        help="Writes per window.  [default: 3 to 100, for about 0.2 s; paced at least 10]",
    ),
    click.option(
        "--rate",
        type=float,
        metavar="N",
        help="Pace the writes at N a second (open loop).  [default: closed loop]",
    ),
    click.option("--seed", type=Whole(0), default=1, show_default=True, help="Seed of the order."),
    click.option(
        "--protocol",
        type=click.Choice(["v2.bsatn", "v3.bsatn"]),
        default="v2.bsatn",
        show_default=True,
        help="WebSocket protocol of subscribers and writer.",
    ),
    click.option(
        "--subscribers",
        type=click.Choice(SUBSCRIBERS),
        default="websocket",
        show_default=True,
        help="Clients over WebSockets, or inside the embedded engine, for thousands of them.",
    ),
    click.option(
        "--client",
        type=click.Choice(["auto", "websockets", "picows"]),
        default="auto",
        show_default=True,
        help="Subscriber library; picows comes with the [fast] extra.",
    ),
    click.option(
        "--out",
        type=Folder(),
        metavar="DIR",
        help="Run directory.  [default: runs/<date>-<scenario>]",
    ),
    *SERVER_OPTIONS,
    click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout."),
)


def read_file(ctx: click.Context, _: click.Parameter, path: Path) -> SweepFile:
    """Read a sweep file; what stands in it takes the place of the defaults, so that flags win."""
    known = {param.name for param in ctx.command.params if isinstance(param, click.Option)}
    sweep_file = read_sweep_file(path, {name for name in known - NOT_IN_FILES if name})
    ctx.default_map = {**sweep_file.flags, **(ctx.default_map or {})}
    return sweep_file


def sweep_options(function: F) -> F:
    """Add them all to a command, in this order."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
