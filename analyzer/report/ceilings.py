"""How many clients a budget allows: the answer that a report begins with."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.model.analysis import BASE, Analysis
from analyzer.model.axis import RowAxis
from analyzer.model.ceiling import Ceiling, Status
from analyzer.model.select import misfit_of
from analyzer.published import published_ceilings
from analyzer.report.layout import Block, Content, Lines, Section, Table
from analyzer.report.numbers import ms, percent, span
from analyzer.units import counted

_WORDS = (
    "clients: the most within the budget; interval: 95 %, noise, the form's misfit and, beyond the "
    "clients measured, doubt about growth; reach: clients over the most measured; other forms: "
    "what models that fit nearly as well say"
)
"""What the columns say."""


def ceiling_section(analysis: Analysis, void: int = 0) -> Section | None:
    """Ceilings of every arm and row count, beside the article's where it has them.

    `void` repeats took no part in them.
    """
    found = [(arm.arm, arm.axis, item) for arm in analysis.arms for item in arm.ceilings]
    if not found:
        return None
    budget_ms, article = published_ceilings()
    beside = {
        item.rows: article[item.rows]
        for arm in analysis.arms
        for item in arm.ceilings
        if (arm.scenario, arm.arm) == ("lobby", BASE) and item.rows in article
    }
    shown = beside if analysis.budget.write_ms == budget_ms else {}
    remarks = [
        f"{arm.arm}: {words}"
        for arm in analysis.arms
        if arm.model and (words := misfit_of(arm.model.choice.best))
    ]
    if void:
        remarks.append(f"{counted(void, 'void repeat')} left out: see below")
    blocks = ceiling_blocks(found, shown, remarks)
    return Section(f"Ceilings at {analysis.budget}", tuple(blocks))


def ceiling_content(analysis: Analysis) -> Content:
    """The ceilings by themselves, and the arms that have none, each with its reason."""
    refused = tuple(f"{arm.arm}: {arm.refusal}" for arm in analysis.arms if arm.refusal)
    sections = [
        unfinished_section(analysis),
        ceiling_section(analysis),
        Section("No cost model", (Lines(refused),)) if refused else None,
    ]
    return Content("How many clients the lock carries", tuple(filter(None, sections)))


def unfinished_section(analysis: Analysis) -> Section | None:
    """How far a run is that all of this is a part of."""
    if not analysis.unfinished:
        return None
    return Section("Unfinished", (Lines((analysis.unfinished,)),))


def ceiling_blocks(
    found: Sequence[tuple[str, RowAxis, Ceiling]],
    article: dict[int, int],
    remarks: Sequence[str] = (),
) -> list[Block]:
    """A table of (arm, axis, ceiling), a second one for the load, the notes and the `remarks`.

    `article` has the article's ceilings of the per-sender lobby: R -> clients.
    """
    columns = ("arm", _rows_name(found), "clients", "interval", "reach", "other forms", "article")
    width = len(columns) if article else len(columns) - 1
    rows = tuple(
        (
            arm,
            f"{item.rows:,}",
            clients_text(item),
            "-" if item.status is Status.REFUSED else span(item.low, item.high),
            "-" if item.extrapolation is None else f"{item.extrapolation:.2f}x",
            others_text(item),
            str(article.get(item.rows, "-")) if arm == BASE else "-",
        )[:width]
        for arm, _, item in found
    )
    notes: dict[tuple[str, str], list[str]] = {}
    for arm, axis, item in found:
        if item.note:
            notes.setdefault((f"{arm}: {item.note}", axis.noun), []).append(f"{item.rows:,}")
    texts = [f"{note} (at {', '.join(at)} {noun}s)" for (note, noun), at in notes.items()]
    blocks: list[Block] = [Table("", columns[:width], rows), *_load_blocks(found)]
    letters = {f"{axis.symbol} the {axis.noun}s" for _, axis, _ in found}
    symbols = f"S is the clients, {', '.join(sorted(letters))}"
    return [*blocks, Lines((*texts, *remarks, f"{_WORDS}; {symbols}"))]


def _rows_name(found: Sequence[tuple[str, RowAxis, Ceiling]]) -> str:
    """`rooms`, or `rows` where arms have unlike axes."""
    nouns = {axis.noun for _, axis, _ in found}
    return f"{nouns.pop()}s" if len(nouns) == 1 else "rows"


def _load_blocks(found: Sequence[tuple[str, RowAxis, Ceiling]]) -> list[Block]:
    loaded = [(arm, axis, item, item.load) for arm, axis, item in found if item.load]
    if not loaded:
        return []
    knee = percent(loaded[0][3].knee)
    table = Table(
        "the lock at the ceiling (writes at random: M/D/1)",
        ("arm", _rows_name(found), "writes/s", "used", "mean wait", "clients at the knee"),
        tuple(
            (
                arm,
                f"{item.rows:,}",
                f"{load.writes_per_second:.3g}",
                percent(load.utilization),
                ms(load.wait_ms),
                "-" if load.knee_clients is None else f"{load.knee_clients:,}",
            )
            for arm, _, item, load in loaded
        ),
    )
    text = f"the knee is at {knee} of the lock: beyond it, waits grow faster than what is served"
    return [table, Lines((text,))]


def clients_text(item: Ceiling) -> str:
    """`33`, `at least 300`, `no finite limit`."""
    if item.status is Status.UNLIMITED:
        return "no finite limit"
    if item.status is Status.REFUSED:
        return f"at least {item.at_least:,}"
    return f"{item.clients:,}"


def others_text(item: Ceiling) -> str:
    """Where the other forms that the cells support put it: `28 to 40`, `beyond reach`, `-`."""
    if not item.others:
        return "-"
    known = [clients for clients in item.others.values() if clients is not None]
    if not known:
        return "beyond reach"
    low, high = min(known), max(known)
    if len(known) < len(item.others):
        return f"{low:,} or more"
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def sentence(item: Ceiling) -> str:
    """One ceiling in a line."""
    parts = [f"{clients_text(item)} clients" if item.status is not Status.UNLIMITED else ""]
    if item.status is Status.FINITE and item.low is not None:
        parts.append(f"95 % interval {span(item.low, item.high)}")
    if item.extrapolation is not None:
        parts.append(f"reach {item.extrapolation:.2f}x")
    parts.append(f"by the {item.model} form")
    if item.others:
        parts.append(f"other forms: {others_text(item)}")
    if item.load:
        parts.append(
            f"lock used {percent(item.load.utilization)}, mean wait {ms(item.load.wait_ms)}"
        )
    return "; ".join(filter(None, [*parts, item.note]))
