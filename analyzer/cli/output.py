"""The report on stdout: for people, or one JSON document."""

from __future__ import annotations

import json

import click
from rich.console import Console

from analyzer.model.analysis import Analysis
from analyzer.report.content import Content
from analyzer.report.terminal import render_terminal


def print_report(analysis: Analysis, content: Content, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(analysis.to_dict(), indent=1, allow_nan=False))
        return
    render_terminal(content, Console(highlight=False))
