"""How well a model trained on few clients foretells the cells of more."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.model.foretell import Foresight, Foretold
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.modelled import fit_blocks
from analyzer.report.numbers import cost, percent, signed, span


def foresight_content(found: Sequence[Foresight], refused: Sequence[str]) -> Content:
    """A section per arm, and the arms without a model, each with its reason."""
    sections = [_section(arm) for arm in found]
    if refused:
        sections.append(Section("No cost model", (Lines(tuple(refused)),)))
    return Content("What fewer clients foretell of more", tuple(sections))


def _section(found: Foresight) -> Section:
    model = found.model
    table = Table(
        "cells beyond, foretold; costs in ms, bilinear fitted to the same cells beside it",
        ("clients", f"{model.axis.noun}s", "measured", "foretold", "95 % interval", "error",
         "bilinear", "error"),
        tuple(_row(cell) for cell in found.cells),
        labels=0,
    )  # fmt: skip
    judged = [cell.inside for cell in found.cells if cell.inside is not None]
    texts = [f"error {percent(found.error)} rms over {len(found.cells)} cells"]
    if judged:
        texts.append(f"{sum(judged)} of {len(judged)} measured costs are inside their interval")
    head = Lines((f"trained on {found.training}",))
    title = f"{model.scenario} / {model.arm}"
    return Section(title, (head, *fit_blocks(model), table, Lines(tuple(texts))))


def _row(cell: Foretold) -> tuple[str, ...]:
    return (
        f"{cell.clients:,}",
        f"{cell.rows:,}",
        cost(cell.measured_ms),
        cost(cell.foretold_ms),
        span(cell.low_ms, cell.high_ms),
        signed(cell.error),
        cost(cell.bilinear_ms),
        signed(cell.bilinear_error),
    )
