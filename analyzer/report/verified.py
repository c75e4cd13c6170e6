"""The ceilings as they were measured."""

from __future__ import annotations

from analyzer.model.axis import row_axis
from analyzer.model.verify import Verification, Verified
from analyzer.report.layout import Block, Lines, Section, Table
from analyzer.report.numbers import cost, number, signed, span


def verified_section(verification: Verification) -> Section:
    """Foretold against measured, where the budget is crossed, and by how much that was missed."""
    blocks: list[Block] = []
    if found := verification.found:
        blocks += [
            Table(
                "costs in ms; the measured cost crosses the budget near so many clients, by the "
                "form's own slope",
                ("arm", "rows", "ceiling", "clients", "foretold", "95 % interval", "measured",
                 "crosses", "miss"),
                tuple(map(_row, found)),
                labels=2,
            ),
            Table(
                "the sweep's nearest cell again, in the same databases: what the machine alone "
                "has changed",
                ("arm", "rows", "clients", "now over then", "miss less that"),
                tuple(_drift_row(item) for item in found if item.drift is not None),
                labels=2,
            ),
        ]  # fmt: skip
    if verification.missing:
        blocks.append(Lines(verification.missing))
    return Section("Ceilings measured", tuple(blocks or [Lines(("no finite ceiling to measure",))]))


def _row(item: Verified) -> tuple[str, ...]:
    return (
        *_names(item),
        f"{item.ceiling:,}",
        f"{item.cell.clients:,}",
        cost(item.predicted_ms),
        span(item.low_ms, item.high_ms),
        cost(item.measured_ms),
        f"{item.crossing:,.0f}",
        signed(item.miss),
    )


def _drift_row(item: Verified) -> tuple[str, ...]:
    beside = "-" if item.beside is None else f"{item.beside:,}"
    return (*_names(item), beside, number(item.drift), signed(item.miss_without_drift))


def _names(item: Verified) -> tuple[str, str]:
    return item.cell.arm, f"{item.cell.rows:,} {row_axis(item.cell.scenario).noun}s"
