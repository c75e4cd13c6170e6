"""What a report is made of. Sections are built once; renderers only draw them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, one a line."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A grid of ready text; the first `labels` columns are names, the rest are numbers."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int = 1


Block = Lines | Table


@dataclass(frozen=True, slots=True)
class Section:
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Content:
    title: str
    sections: tuple[Section, ...]
