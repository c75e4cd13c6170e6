"""The views of a live database, for reading."""

from __future__ import annotations

from analyzer.inspection import Inspection, ReducerUse, ViewUse
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.numbers import cost


def build_inspection(found: Inspection) -> Content:
    """Views with their cost, the reducers that make them run, and what to ask their author."""
    sections = [Section("Views", (_views(found.views),))]
    if found.reducers:
        sections.append(Section("Reducers that make views run", (_reducers(found.reducers),)))
    if found.questions:
        sections.append(Section("To be answered", (Lines(found.questions),)))
    if any(use.view.query for use in found.views):
        told = "query-builder views run anew on each write; their index seeks are not counted"
        sections.append(Section("Not counted", (Lines((told,)),)))
    title = f"{found.database} on SpacetimeDB {found.version}: {len(found.views)} views"
    return Content(title, tuple(sections))


def _views(views: tuple[ViewUse, ...]) -> Lines | Table:
    if not views:
        return Lines(("this database has none",))
    rows = []
    for use in views:
        view = use.view
        kind = "anonymous" if view.anonymous else "per sender"
        parameters = ", ".join(f"{name}: {kind}" for name, kind in view.parameters)
        rows.append(
            (
                f"{view.name}({parameters})" if parameters else view.name,
                f"{kind}, query" if view.query else kind,
                _count(use.calls),
                cost(use.call_ms),
                cost(use.total_ms),
            )
        )
    columns = ("view", "kind", "calls so far", "ms a call", "ms in all")
    return Table("", columns, tuple(rows), labels=2)


def _reducers(reducers: tuple[ReducerUse, ...]) -> Table:
    rows = tuple(
        (
            use.name,
            _count(use.writes),
            _count(use.view_calls),
            cost(use.view_calls / use.writes if use.writes else None),
            cost(use.reducer_ms / use.writes if use.writes and use.reducer_ms else None),
        )
        for use in reducers
    )
    columns = ("reducer", "writes", "view calls", "view calls a write", "reducer ms a write")
    return Table("", columns, rows)


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"
