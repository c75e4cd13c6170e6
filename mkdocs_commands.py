"""Puts the help of every command in the place of `{{ commands }}` on a page of the site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from analyzer.cli.sweep import command

PLACE = "{{ commands }}"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs for each page (`hooks` in mkdocs.yml)."""
    if PLACE not in markdown:
        return markdown
    return markdown.replace(PLACE, "\n".join(_sections(command, "stdb-sweep", None)))


def _sections(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=96, **command.context_settings
    )
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for verb in command.list_commands(context):
            found = command.get_command(context, verb)
            assert found is not None
            yield from _sections(found, verb, context)
