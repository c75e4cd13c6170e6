"""`stdb-sweep scenarios`: what there is to measure."""

from __future__ import annotations

import json
from textwrap import wrap
from typing import Any

import click

from analyzer.experiments import EXPERIMENTS
from analyzer.scenarios import SCENARIOS

_INDENT = " " * 20


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(as_json: bool) -> None:
    """List the scenarios with their row axis and their arms, and the experiments with theirs."""
    listed = [_describe(name) for name in SCENARIOS]
    experiments = [_describe_experiment(name) for name in EXPERIMENTS]
    if as_json:
        click.echo(json.dumps([*listed, *experiments], indent=1))
        return
    for entry in listed:
        click.echo(f"{entry['scenario']}  (--{entry['axis']} LIST, {entry['symbol']})")
        for arm in entry["arms"]:
            mark = "*" if arm["default"] else " "
            click.echo(_told(f" {mark} {arm['name']:<16} {arm['summary']}"))
            click.echo(_told(f"{_INDENT}subscribes to {'; '.join(arm['queries'])}"))
            click.echo(
                _told(f"{_INDENT}counts {arm['seeks']} index seeks, {arm['view_calls']} view calls")
            )
    click.echo("* measured unless --arms says otherwise")
    for entry in experiments:
        name, axis = entry["scenario"], entry["axis"]
        click.echo(f"{name}  (stdb-sweep {name}, --{axis} {entry['symbol']})")
        click.echo(_told(f"   {entry['summary']}"))
        for arm in entry["arms"]:
            click.echo(_told(f"   {arm['name']:<16} {arm['summary']}"))


def _told(text: str) -> str:
    return "\n".join(wrap(text, 80, subsequent_indent=_INDENT))


def _describe(name: str) -> dict[str, Any]:
    scenario = SCENARIOS[name]
    return {
        "scenario": scenario.name,
        "axis": scenario.row_flag,
        "symbol": scenario.row_symbol,
        "arms": [
            {
                "name": arm.name,
                "summary": arm.summary,
                "queries": list(arm.queries),
                "write": arm.write,
                "seeks": arm.seeks,
                "view_calls": arm.view_calls,
                "rows_scanned": arm.rows_scanned,
                "default": arm.name in scenario.default_arms,
            }
            for arm in scenario.arms
        ],
    }


def _describe_experiment(name: str) -> dict[str, Any]:
    experiment = EXPERIMENTS[name]
    return {
        "scenario": name,
        "summary": experiment.summary,
        "axis": experiment.axis,
        "symbol": experiment.symbol,
        "arms": [{"name": arm, "summary": text} for arm, text in experiment.arms.items()],
    }
