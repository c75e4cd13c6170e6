"""`stdb-sweep --clients ... --rooms ...`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from analyzer.cli import Verbs
from analyzer.cli.server import server_options
from analyzer.errors import SweepError, UsageError
from analyzer.plan import Plan
from analyzer.scenarios import SCENARIOS, Scenario
from analyzer.units import milliseconds, whole_numbers

MANY_STEPS = 1000

EXAMPLES = """
\b
Examples:
  stdb-sweep --clients 10,50,100 --rooms 8,64,256,1000
  stdb-sweep --clients 50,100 --entrants 64,128,512,1024
  stdb-sweep --clients 10,50,100 --rooms 8,64 --arms per_sender,projection --budget 20ms
  stdb-sweep --clients 10,50 --rooms 8,64 --server http://127.0.0.1:3000
"""


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option("--clients", metavar="LIST", help="Subscribers S; 0 is added as the baseline.")
@click.option("--rooms", metavar="LIST", help="Rooms G of the lobby scenario.")
@click.option("--entrants", metavar="LIST", help="Entrants F of the tournament scenario.")
@click.option("--arms", metavar="NAMES", help="View designs to measure; see `scenarios`.")
@click.option(
    "--budget",
    metavar="TIME",
    default="50ms",
    show_default=True,
    help="Lock time a write may cost: a ceiling is the most clients within it.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Fresh databases per cell; intervals need 2 or more.",
)
@click.option(
    "--windows",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Windows of writes per cell and repeat.",
)
@click.option(
    "--warmup",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="Writes before the first window, not counted.",
)
@click.option(
    "--writes",
    type=click.IntRange(1),
    help="Writes per window.  [default: 3 to 100, for about 0.2 s]",
)
@click.option(
    "--rate",
    type=float,
    metavar="N",
    help="Pace the writes at N a second (open loop).  [default: closed loop]",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the order."
)
@click.option(
    "--protocol",
    type=click.Choice(["v2.bsatn", "v3.bsatn"]),
    default="v2.bsatn",
    show_default=True,
    help="WebSocket protocol of subscribers and writer.",
)
@click.option(
    "--client",
    type=click.Choice(["auto", "websockets", "picows"]),
    default="auto",
    show_default=True,
    help="Subscriber library; picows comes with the [fast] extra.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Run directory.  [default: runs/<date>-<scenario>]",
)
@server_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
@click.version_option(package_name="stdb-sweep", message="stdb-sweep %(version)s")
@click.pass_context
def command(ctx: click.Context, /, **flags: Any) -> int | None:
    """Measure what subscriptions cost a SpacetimeDB server inside its write lock, and say how
    many connected clients a lock budget allows.

    Without a server it measures the embedded engine. The same command goes on with a sweep
    that was interrupted.
    """
    if ctx.invoked_subcommand is not None:
        return None
    if all(flags[name] is None for name in ("clients", "rooms", "entrants")):
        click.echo(ctx.get_help())
        return 0
    return _sweep(**flags)


def _sweep(*, budget: str, client: str, out: Path | None, as_json: bool, **flags: Any) -> int:
    budget_ms = milliseconds(budget)
    plan = plan_of(flags)

    from analyzer.cli.output import print_document, refuse_void
    from analyzer.cli.progress import LiveProgress
    from analyzer.controller import sweep
    from analyzer.results import analyse_run, write_results
    from analyzer.stdb.connection import wants_picows
    from analyzer.swarm.loop import run as run_loop
    from analyzer.target import Target

    target = Target(
        flags["server_bin"], flags["server"], flags["token_file"], flags["allow_remote"]
    )
    progress = LiveProgress()
    progress.note(_announcement(plan))
    measuring = sweep(
        plan,
        target,
        out=out,
        fast=wants_picows(client),
        analysis={"budget_ms": budget_ms},
        progress=progress,
    )
    try:
        run = run_loop(measuring)
    except KeyboardInterrupt:
        progress.note(f"stdb-sweep: interrupted: {progress.kept()}")
        return 130
    except SweepError as error:
        error.add_note(progress.kept())
        raise
    analysis, content = analyse_run(run, budget_ms)
    write_results(run, analysis, content)
    print_document(analysis.to_dict, lambda: content, as_json=as_json)
    refuse_void(run)
    return 0


def plan_of(flags: dict[str, Any]) -> Plan:
    """The plan that the flags ask for. Raises UsageError naming the bad flag and item."""
    scenario = _scenario(flags)
    if flags["clients"] is None:
        raise UsageError("--clients is missing: write --clients 10,50,100")
    clients = whole_numbers(flags["clients"], what="clients")
    rows = whole_numbers(flags[scenario.row_flag], what=scenario.row_flag)
    arms = scenario.default_arms
    if flags["arms"] is not None:
        arms = tuple(dict.fromkeys(name.strip() for name in flags["arms"].split(",")))
    return Plan(
        scenario=scenario.name,
        arms=arms,
        clients=(0, *clients),
        rows=rows,
        **{
            name: flags[name]
            for name in ("repeats", "windows", "warmup", "writes", "rate", "protocol", "seed")
        },
    )


def _scenario(flags: dict[str, Any]) -> Scenario:
    given = [s for s in SCENARIOS.values() if flags[s.row_flag] is not None]
    if len(given) != 1:
        axes = " or ".join(f"--{s.row_flag} ({s.name})" for s in SCENARIOS.values())
        raise UsageError(f"give one row axis: {axes}, as --rooms 8,64,256,1000")
    return given[0]


def _announcement(plan: Plan) -> str:
    """A long sweep says so before it begins."""
    steps = sum(len(block.clients) for block in plan.blocks())
    text = (
        f"{plan.scenario}: {len(plan.cells)} cells, {plan.repeats} repeats, "
        f"{len(list(plan.blocks()))} databases, {steps} steps"
    )
    if steps > MANY_STEPS:
        text += "; that is a long sweep: Ctrl-C stops it, the same command goes on"
    return text
