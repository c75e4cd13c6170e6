"""A report on the terminal."""

from __future__ import annotations

import io

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from analyzer.report.layout import Block, Content, Lines, Section, Table


def render_terminal(content: Content, console: Console) -> None:
    """Draw `content`; the console decides on colour (NO_COLOR) and width."""
    console.print(Text(content.title, style="bold"))
    for section in content.sections:
        console.print()
        _section(section, console)


def plain(section: Section) -> str:
    """Return one section as text, for an object that prints itself."""
    console = Console(file=io.StringIO(), width=100, color_system=None)
    with console.capture() as captured:
        _section(section, console)
    return captured.get().rstrip()


def _section(section: Section, console: Console) -> None:
    console.print(Text(section.title, style="bold cyan"))
    for block in section.blocks:
        _draw(block, console)


def _draw(block: Block, console: Console) -> None:
    if isinstance(block, Lines):
        for text in block.texts:
            console.print(Padding(Text(text), (0, 0, 0, 2), expand=False))
        return
    if block.caption:
        # Not the grid's own title, which would wrap at the width of the grid.
        console.print(Padding(Text(block.caption), (0, 0, 0, 2), expand=False))
    console.print(Padding(_grid(block), (0, 0, 0, 2), expand=False))


def _grid(table: Table) -> Grid:
    # Text objects, not strings: a label such as `[bold]` is a label, not markup.
    grid = Grid(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    for position, name in enumerate(table.columns):
        grid.add_column(Text(name), justify="left" if position < table.labels else "right")
    for row in table.rows:
        grid.add_row(*(Text(cell) for cell in row))
    return grid
