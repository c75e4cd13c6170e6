"""The page of `compare`: what changed first, then every cell."""

from __future__ import annotations

from analyzer.comparison import ArmComparison, Comparison, CostChange, CountChange
from analyzer.model.axis import RowAxis, row_axis
from analyzer.report.layout import Block, Content, Lines, Section, Table
from analyzer.report.numbers import number, span

NOT_TOLD_APART = "~"
_NAMES = {
    "index_seeks": "index seeks",
    "view_calls": "view calls",
    "rows_scanned": "rows scanned",
    "deliveries": "updates to clients",
}


def build_comparison(found: Comparison) -> Content:
    """Build the page for every renderer."""
    axis = row_axis(found.scenario)
    arms = next(
        ((f"{arm.base} in ", f"{arm.new} in ") for arm in found.arms if arm.base != arm.new),
        ("", ""),
    )
    told = [f"BASE: {arms[0]}{found.base}", f"NEW: {arms[1]}{found.new}"]
    told += [f"unlike runs: {text}" for text in found.unlike]
    told += [f"{_name(arm)}: {_sentence(arm, axis)}" for arm in found.arms]
    sections = [_arm_section(arm, axis) for arm in found.arms]
    return Content("stdb-sweep: compare", (Section("In short", (Lines(tuple(told)),)), *sections))


def _name(arm: ArmComparison) -> str:
    return arm.base if arm.base == arm.new else f"{arm.base} to {arm.new}"


def _sentence(arm: ArmComparison, axis: RowAxis) -> str:
    """Counts, then cost, in one line."""
    return f"{_counts_text(arm, axis)}; {_cost_text(arm)}"


def _counts_text(arm: ArmComparison, axis: RowAxis) -> str:
    if not arm.counts:
        return f"counts the same in all {arm.counted} cells"
    told = []
    for name in dict.fromkeys(change.count for change in arm.counts):
        changed = [change for change in arm.counts if change.count == name]
        most = max(changed, key=lambda change: (change.clients, change.rows))
        told.append(
            f"{_NAMES[name]} a write changed in {len(changed)} of {arm.counted} cells: "
            f"{_from_to(most)} at S={most.clients} {axis.symbol}={most.rows}"
        )
    return "; ".join(told)


def _from_to(change: CountChange) -> str:
    return f"{_count(change.base)} to {_count(change.new)}"


def _count(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.10g}"


def _cost_text(arm: ArmComparison) -> str:
    whole = arm.over_all
    if whole is None:
        return "cost: no word over all"
    if not whole.differs:
        text = f"cost not told apart over all ({_interval(whole)})"
    elif whole.ratio < 1:
        text = f"over all {number(1 / whole.ratio)} times cheaper ({_interval(whole)})"
    else:
        text = f"over all {number(whole.ratio)} times as dear ({_interval(whole)})"
    apart = sum(bool(cell.differs) for cell in arm.cells)
    return f"{text}; {apart} of {len(arm.cells)} cells told apart"


def _interval(change: CostChange) -> str:
    return f"NEW/BASE {number(change.ratio)}, {span(change.low, change.high)}"


def _arm_section(arm: ArmComparison, axis: RowAxis) -> Section:
    blocks: list[Block] = []
    if arm.counts:
        blocks.append(_counts_table(arm, axis))
    if arm.cells:
        blocks.append(_costs_table(arm, axis))
    blocks.append(Lines((*arm.notes, *(_explained(arm) if arm.over_all else ()))))
    return Section(_name(arm), tuple(blocks))


def _explained(arm: ArmComparison) -> tuple[str, ...]:
    return (
        f"{NOT_TOLD_APART}: not told apart. The 95 % intervals of this arm hold together: where "
        f"nothing differs, 95 of 100 comparisons tell none of its {len(arm.cells)} cells apart",
    )


def _counts_table(arm: ArmComparison, axis: RowAxis) -> Table:
    names = list(dict.fromkeys(change.count for change in arm.counts))
    by_cell: dict[tuple[int, int], dict[str, CountChange]] = {}
    for change in arm.counts:
        by_cell.setdefault((change.clients, change.rows), {})[change.count] = change
    return Table(
        "changed counts per write, BASE to NEW",
        ("clients", f"{axis.noun}s", *(_NAMES[name] for name in names)),
        tuple(
            (
                f"{s:,}",
                f"{r:,}",
                *(_from_to(own[name]) if name in own else "same" for name in names),
            )
            for (s, r), own in by_cell.items()
        ),
        labels=0,
    )


def _costs_table(arm: ArmComparison, axis: RowAxis) -> Table:
    rows = [
        (
            f"{cell.clients:,}",
            f"{cell.rows:,}",
            number(cell.base_ms),
            number(cell.new_ms),
            *_judged(cell),
        )
        for cell in arm.cells
    ]
    if arm.over_all:
        rows.append(("all", "", "", "", *_judged(arm.over_all)))
    return Table(
        "cost of a write in ms",
        ("clients", f"{axis.noun}s", "BASE", "NEW", "NEW/BASE", "95 % interval", ""),
        tuple(rows),
        labels=0,
    )


def _judged(change: CostChange) -> tuple[str, str, str]:
    mark = "" if change.differs is None else NOT_TOLD_APART
    if change.differs:
        mark = "dearer" if change.ratio > 1 else "cheaper"
    return number(change.ratio), span(change.low, change.high), mark
