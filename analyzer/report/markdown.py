"""A report as GitHub-flavoured Markdown."""

from __future__ import annotations

import re

from analyzer.report.layout import Block, Content, Lines, Table

_SPECIAL = re.compile(r"([\\`*<>|\[\]])")


def render_markdown(content: Content) -> str:
    """Return `content` as one Markdown document."""
    parts = [f"# {escape(content.title)}"]
    for section in content.sections:
        parts.append(f"## {escape(section.title)}")
        parts.extend(_block(block) for block in section.blocks)
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Keep formulas and names as they are: `4*G+1` is not emphasis."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _block(block: Block) -> str:
    if isinstance(block, Lines):
        return "\n".join(f"- {escape(text)}" for text in block.texts)
    return _table(block)


def _table(table: Table) -> str:
    rule = [":--" if at < table.labels else "--:" for at in range(len(table.columns))]
    rows = [[escape(cell) for cell in row] for row in (table.columns, *table.rows)]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]
    caption = [f"{escape(table.caption)}\n"] if table.caption else []
    return "\n".join([*caption, *lines])
