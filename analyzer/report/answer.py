"""The first screen of the page: how many clients each design carries, and which to ship."""

from __future__ import annotations

from analyzer.errors import SweepError
from analyzer.model.analysis import Analysis
from analyzer.model.axis import row_axis
from analyzer.model.ceiling import Ceiling, Status
from analyzer.report.ceilings import clients_text
from analyzer.report.layout import Block, Lines, Section, Table
from analyzer.report.numbers import span
from analyzer.report.reviewed import build_review
from analyzer.review import review
from analyzer.store import Run
from analyzer.thin import pick

_MOST_ROWS = 7
"""More would not be seen at a glance; the section on ceilings has them all."""


def answer_section(run: Run, analysis: Analysis) -> Section:
    """Clients by design and rows, and the recommendation of the review."""
    blocks: list[Block] = []
    if table := _table(analysis):
        blocks.append(table)
    try:
        found = review(run.frame(), analysis, run.plan.definition)
    except SweepError as error:
        blocks.append(Lines((f"no recommendation: {error}",)))
    else:
        blocks.extend(build_review(found).sections[0].blocks)
        noun = row_axis(found.scenario).noun
        size = f"{found.clients:,} clients and {found.rows:,} {noun}s"
        blocks.append(Lines((f"this is decided for {size}, the most that were measured",)))
    return Section(f"Clients within {analysis.budget}", tuple(blocks))


def _table(analysis: Analysis) -> Table | None:
    known = {arm.arm: {item.rows: item for item in arm.ceilings} for arm in analysis.arms}
    every = {r for items in known.values() for r in items}
    if not every:
        return None
    axis, rows = analysis.arms[0].axis, pick([*every], _MOST_ROWS)
    some = f"; {len(rows)} of {len(every)} row counts" if len(rows) < len(every) else ""
    return Table(
        f"most clients, with the 95 % interval{some}",
        ("design", *(f"{r:,} {axis.noun}s" for r in rows)),
        tuple((arm, *(_cell(items.get(r)) for r in rows)) for arm, items in known.items()),
    )


def _cell(item: Ceiling | None) -> str:
    if item is None:
        return "-"
    has_interval = item.status is Status.FINITE and item.low is not None
    return clients_text(item) + (f" ({span(item.low, item.high)})" if has_interval else "")
