"""`stdb-sweep --clients ... --rooms ...`: the main job."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from analyzer.arms import Scenario
from analyzer.cli import Verbs
from analyzer.cli.options import sweep_options
from analyzer.cli.server import target_of
from analyzer.errors import UsageError
from analyzer.own import own_scenario
from analyzer.plan import Plan
from analyzer.scenarios import SCENARIOS
from analyzer.sweepfile import SweepFile
from analyzer.units import counted, milliseconds, per_second, share, text_seconds, whole_numbers

if TYPE_CHECKING:
    from analyzer.store import Run

MANY_STEPS = 1000

EXAMPLES = """
\b
Examples:
  stdb-sweep --clients 10,50,100 --rooms 8,64,256,1000
  stdb-sweep --clients 50,100 --entrants 64,128,512,1024
  stdb-sweep --clients 10,50 --rooms 64 --arms per_sender,split --budget 20ms
  stdb-sweep --clients 10,50 --rooms 8,64 --server http://127.0.0.1:3000
  stdb-sweep --clients 10,50 --rows 8,64 --module my.wasm --view lobby \\
             --write 'move({i})' --seed-call 'fill({rows})'
"""


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    epilog=EXAMPLES,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@sweep_options
@click.version_option(package_name="stdb-sweep", message="stdb-sweep %(version)s")
@click.pass_context
def command(ctx: click.Context, /, **flags: Any) -> int | None:
    """Measure what subscriptions cost a SpacetimeDB server inside its write lock, and say how
    many connected clients a lock budget allows.

    Without a server it measures the embedded engine. The same command goes on with a sweep
    that was interrupted.
    """
    given = [
        param.opts[0]
        for param in ctx.command.params
        if ctx.get_parameter_source(param.name or "") is ParameterSource.COMMANDLINE
    ]
    verb = ctx.invoked_subcommand
    if verb and given:
        raise UsageError(f"{given[0]} stands before {verb!r}: flags of a verb come after it")
    if verb:
        return None
    if not given:
        click.echo(ctx.get_help())
        return 0
    return run_sweep(None, **flags)


def run_sweep(
    sweep_file: SweepFile | None, *, budget: str, as_json: bool, dry_run: bool, **flags: Any
) -> int:
    """Measure, analyse and print what the flags ask for; returns the exit code.

    Raises VoidCells when some cells are void.
    """
    budget_ms, plan = milliseconds(budget), plan_of(flags, sweep_file)
    if dry_run:
        preview(plan, as_json=as_json)
        return 0
    run = measured_run(sweep_file, plan, budget_ms, **flags)

    from analyzer.cli.output import print_document, refuse_void
    from analyzer.results import analyse_run, write_results

    analysis, content = analyse_run(run, budget_ms)
    write_results(run, analysis, content)
    print_document(lambda: analysis.to_dict() | run.account(), lambda: content, as_json=as_json)
    refuse_void(run)
    return 0


def preview(plan: Plan, *, as_json: bool) -> None:
    """Print what `plan` would measure."""
    from analyzer.cli.output import print_document
    from analyzer.estimate import estimate
    from analyzer.report.preview import build_preview

    found = estimate(plan)
    print_document(found.to_dict, lambda: build_preview(found), as_json=as_json)


def measured_run(
    sweep_file: SweepFile | None,
    plan: Plan,
    budget_ms: float,
    *,
    out: Path | None,
    verify: bool,
    **flags: Any,
) -> Run:
    """Measure `plan`, and its ceilings with `verify`, or go on with either. An interrupt ends the
    command with 130.
    """
    from analyzer.cli.verify import verified_run
    from analyzer.results import analyse_run, write_results
    from analyzer.verification import unverified_run
    from analyzer.verifier import check_verifiable

    if not verify:
        return _swept(sweep_file, plan, {"budget_ms": budget_ms}, out, **flags)
    check_verifiable(plan)
    run = unverified_run(plan, out) or _swept(
        sweep_file, plan, {"budget_ms": budget_ms, "verify": True}, out, **flags
    )
    write_results(run, *analyse_run(run, budget_ms))  # should verifying be interrupted
    verified_run(run, budget_ms, **flags)
    return run


def _swept(
    sweep_file: SweepFile | None,
    plan: Plan,
    analysis: dict[str, Any],
    out: Path | None,
    *,
    client: str,
    **flags: Any,
) -> Run:
    """Measure the cells of `plan` with progress on stderr."""
    from analyzer.cli.progress import LiveProgress, keeping
    from analyzer.controller import sweep
    from analyzer.stdb.connection import wants_picows
    from analyzer.swarm.loop import run as run_loop

    target = target_of(flags)
    progress = LiveProgress()
    progress.note(_announcement(plan))
    measuring = sweep(
        plan,
        target,
        out=out,
        fast=wants_picows(client),
        analysis=analysis,
        sweep_file=sweep_file.echo if sweep_file else None,
        progress=progress,
    )
    with keeping(progress):
        return run_loop(measuring)


def plan_of(flags: dict[str, Any], sweep_file: SweepFile | None = None) -> Plan:
    """The plan that the flags ask for, with the arms of a module of one's own from a sweep file.

    Raises UsageError naming the bad flag and item.
    """
    own = own_scenario(flags, sweep_file.arms if sweep_file else ())
    scenario = own or _scenario(flags)
    if flags["clients"] is None:
        raise UsageError("--clients is missing: write --clients 10,50,100")
    clients = whole_numbers(flags["clients"], what="clients")
    listed = flags[scenario.row_flag]
    rows = whole_numbers("1" if own and listed is None else listed, what=scenario.row_flag)
    arms = scenario.default_arms
    if flags["arms"] == "all":
        arms = tuple(arm.name for arm in scenario.arms)
    elif flags["arms"] is not None:
        arms = tuple(dict.fromkeys(name.strip() for name in flags["arms"].split(",")))
    until = share(flags["until"], what="until") if flags["until"] is not None else None
    return Plan(
        scenario=scenario.name,
        arms=arms,
        clients=(0, *clients),
        rows=rows,
        own=own,
        language=flags["module_language"],
        repeats=flags["repeats"] or (1 if scenario.database else 3 if until is None else 10),
        until=until,
        **{
            name: flags[name]
            for name in ("windows", "warmup", "writes", "rate", "protocol", "subscribers", "seed")
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
        f"{plan.scenario}: {counted(len(plan.cells), 'cell')}, {plan.repeats_text}, "
        f"{counted(len(list(plan.blocks())), 'database')}, {counted(steps, 'step')}"
    )
    if plan.rate:
        text += f"; at {per_second(plan.rate)} the windows take {text_seconds(plan.paced_s)}"
    if steps > MANY_STEPS:
        text += "; that is a long sweep: Ctrl-C stops it, the same command goes on"
    return text
