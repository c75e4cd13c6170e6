"""The page of `noise`: how small a change could have been seen."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.noise import ArmNoise
from analyzer.report.layout import Content, Lines, Section
from analyzer.report.numbers import number, percent, span


def build_noise(arms: Sequence[ArmNoise]) -> Content:
    """Build the page for every renderer."""
    return Content("stdb-sweep: noise", tuple(_section(arm) for arm in arms))


def _section(arm: ArmNoise) -> Section:
    if arm.over_all is None:
        return Section(arm.arm, (Lines((f"nothing is known of its noise: {arm.reason}",)),))
    slower = ", ".join(f"{share:.2f}" for share in arm.repeats)
    told = [
        f"the smallest change that compare sees in 4 of 5 cases: {percent(arm.over_all.change)} "
        f"over all, {percent(min(c.change for c in arm.cells))} to "
        f"{percent(max(c.change for c in arm.cells))} in one cell",
        f"each repeat as a whole, over their mean: {slower}",
    ]
    if halves := arm.halves:
        verdict = "told apart: the machine changed meanwhile" if halves.differs else "~"
        told.append(
            f"even repeats against odd ones: {number(halves.ratio)} "
            f"({span(halves.low, halves.high)}) {verdict}"
        )
    return Section(arm.arm, (Lines(tuple(told)),))
