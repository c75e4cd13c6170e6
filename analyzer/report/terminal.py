"""A report on the terminal."""

from __future__ import annotations

import io
from dataclasses import replace

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from analyzer.report.layout import Block, Content, Lines, Section, Table

_INDENT = 2
_GAP = "  "
"""Between columns."""


def render_terminal(content: Content, console: Console) -> None:
    """Draw `content`; the console decides on colour (NO_COLOR) and width."""
    with console.capture() as captured:
        console.print(Text(content.title, style="bold"))
        for section in content.sections:
            console.print()
            _section(section, console)
    console.out(_trimmed(captured.get()), highlight=False)


def plain(section: Section) -> str:
    """Return one section as text, for an object that prints itself."""
    console = Console(file=io.StringIO(), width=100, color_system=None)
    with console.capture() as captured:
        _section(section, console)
    return _trimmed(captured.get())


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def _section(section: Section, console: Console) -> None:
    console.print(Text(section.title, style="bold cyan"))
    for number, block in enumerate(section.blocks):
        if number:
            console.print()
        _draw(block, console)


def _draw(block: Block, console: Console) -> None:
    if isinstance(block, Lines):
        for text in block.texts:
            _print_hanging(text, console)
        return
    if block.caption:
        # Not the grid's own title, which would wrap at the width of the grid.
        _print_hanging(block.caption, console)
    for number, part in enumerate(_parts(block, console)):
        if number:
            console.print()
        console.print(Padding(_grid(part), (0, 0, 0, _INDENT), expand=False))


def _print_hanging(text: str, console: Console) -> None:
    """A sentence whose further lines stand to the right of its first."""
    lines = Text(text).wrap(console, max(console.width - 2 * _INDENT, 1))
    for number, line in enumerate(lines):
        indent = " " * _INDENT * (2 if number else 1)
        console.print(Text(indent).append_text(line), no_wrap=True, crop=False)


def _parts(table: Table, console: Console) -> list[Table]:
    """A table that is too wide as several, each with the label columns again.

    One whose labels fill half of the width is left to wrap.
    """
    room = console.width - _INDENT
    widths = [
        max(cell_len(row[at]) for row in (table.columns, *table.rows)) + len(_GAP)
        for at in range(len(table.columns))
    ]
    labels = sum(widths[: table.labels])
    if sum(widths) - len(_GAP) <= room or 2 * labels > room:
        return [table]
    groups: list[list[int]] = []
    left = 0
    for at in range(table.labels, len(table.columns)):
        if not groups or widths[at] - len(_GAP) > left:
            groups.append([])
            left = room - labels
        groups[-1].append(at)
        left -= widths[at]
    return [_columns(table, [*range(table.labels), *group]) for group in groups]


def _columns(table: Table, kept: list[int]) -> Table:
    def of(row: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(row[at] for at in kept)

    return replace(table, columns=of(table.columns), rows=tuple(map(of, table.rows)))


def _grid(table: Table) -> Grid:
    # Text objects, not strings: a label such as `[bold]` is a label, not markup.
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for position, name in enumerate(table.columns):
        grid.add_column(Text(name), justify="left" if position < table.labels else "right")
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    return grid
