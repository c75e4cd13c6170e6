"""The page of `--dry-run`: what would be measured, in which order, and about how long."""

from __future__ import annotations

from itertools import groupby

from analyzer.estimate import BASE_MIB, CLIENT_KIB, SEEK_KIB, SEEK_MS, Estimate
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.numbers import number
from analyzer.units import text_seconds


def build_preview(found: Estimate) -> Content:
    """Build the page for every renderer."""
    plan = found.plan
    timed = zip(found.steps, found.seconds, strict=True)
    blocks = [
        (block, [seconds for _, seconds in steps])
        for block, steps in groupby(timed, key=lambda pair: pair[0].block)
    ]
    most = "" if plan.until is None else "at most "
    told = (
        f"{len(plan.cells)} cells, {plan.repeats_text}, {len(blocks)} databases, "
        f"{len(found.steps)} steps",
        f"estimated: {most}{text_seconds(found.total_s)}, {found.memory_mib:,.0f} MiB of memory",
        f"an estimate: {SEEK_MS * 1e3:g} us an index seek, {BASE_MIB:g} MiB and "
        f"{CLIENT_KIB[plan.subscribers]:g} KiB a client and {SEEK_KIB:g} KiB a seek, as the "
        "embedded engine needs on two virtual cores; nothing was measured",
    )
    table = Table(
        "databases in the order of measuring, subscribers going up in each",
        ("", "arm", "repeat", f"{plan.definition.row_noun}s", "clients", "estimated"),
        tuple(
            (
                str(place),
                block.arm_name,
                "control" if block.control else str(block.repeat + 1),
                f"{block.rows:,}",
                ", ".join(map(str, block.clients)),
                f"{number(sum(seconds))} s",
            )
            for place, (block, seconds) in enumerate(blocks, 1)
        ),
        labels=2,
    )
    return Content(f"stdb-sweep: {plan.scenario}, a dry run", (
        Section("Plan", (Lines(told), table)),
    ))  # fmt: skip
