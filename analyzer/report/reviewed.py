"""The decision page: what to ship, why, and what moving there costs."""

from __future__ import annotations

from analyzer.model.axis import row_axis
from analyzer.model.ceiling import Ceiling, Status
from analyzer.report.ceilings import clients_text
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.numbers import number, span
from analyzer.review import Design, Review
from analyzer.units import counted, text_ms

_UNCOUNTED = "index seeks are not counted by this server, or follow no exact law"
_RULES = (
    "adding views and tables is compatible: nobody is disconnected, and clients move when they "
    "subscribe to the new ones",
    "changing a view between per-sender and anonymous in its place disconnects everyone",
    "the old view costs nothing once nobody has subscribed to it for 10 to 20 minutes",
)


def build_review(review: Review) -> Content:
    axis = row_axis(review.scenario)
    title = (
        f"review of {review.scenario}: S={review.clients:,} clients, {axis.symbol}={review.rows:,} "
        f"{axis.noun}s, {review.budget_ms:g} ms of lock a write"
    )
    sections = [Section("Unfinished", (Lines((review.unfinished,)),))] if review.unfinished else []
    sections += [
        Section("Recommendation", (Lines(_recommendation(review)),)),
        Section("Designs", (_table(review), Lines(_notes(review)))),
    ]
    moves = [f"{d.arm}: {'; '.join(d.moving)}" for d in review.designs if d.moving]
    if moves:
        sections.append(Section(f"Moving from {review.base}", (Lines((*moves, *_RULES)),)))
    return Content(title, tuple(sections))


def _recommendation(review: Review) -> tuple[str, ...]:
    base, choice = review.design(review.base), review.choice
    if base.write_ms is None:
        return _shipping(review)
    return (*_shipping(review), *_evidence([base] if choice in (None, base) else [base, choice]))


def advice_section(review: Review) -> Section:
    """The recommendation by itself, with the size it is for."""
    noun = row_axis(review.scenario).noun
    size = f"{counted(review.clients, 'client')} and {counted(review.rows, noun)}"
    return Section(f"Recommendation for {size}", (Lines(_shipping(review)),))


def _shipping(review: Review) -> tuple[str, ...]:
    """Which design to ship, in a sentence or a few."""
    base, choice = review.design(review.base), review.choice
    if base.write_ms is None:
        return (f"none: {base.arm} has no cost here to compare with: {base.reason}",)
    budget = text_ms(review.budget_ms)
    if choice is base:
        told = [f"{base.arm} may ship: {_cost(base)} a write, within {budget}"]
        cheapest = review.alike[0]
        if cheapest is not base:
            told.append(f"{cheapest.arm} shows the same rows {_times(cheapest)}, if more is needed")
    elif choice:
        told = [
            f"move to {choice.arm}: {_cost(choice)} a write instead of {_cost(base)}, "
            f"{_times(choice)}, and every client holds the same rows"
        ]
        told += [
            f"{other.arm} is within {budget} as well ({_cost(other)}) and asks no reducer to change"
            for other in review.alike
            if other is not choice and review.within(other) and _keeps_reducers(other, choice)
        ]
    else:
        told = [
            f"{base.arm} may not ship: {_cost(base)} a write, above {budget}; "
            "no design that shows the same rows is within it"
        ]
    others = [d for d in review.designs if not d.same_rows and _cheaper(d, choice or base)]
    told += [
        f"{other.arm} costs {_cost(other)}, but was not seen to show the same rows"
        for other in others
    ]
    return tuple(told)


def _evidence(designs: list[Design | None]) -> list[str]:
    told = []
    for design in filter(None, designs):
        if design.seeks is not None:
            law = f"{design.seeks:,} index seeks a write, by the exact law {design.seeks_law}"
        else:
            law = _UNCOUNTED
        told.append(f"evidence, {design.arm}: {law}; ceiling: {_clients(design.ceiling)}")
    return told


def _table(review: Review) -> Table:
    return Table(
        "",
        ("design", "seeks", "calls", "ms", "clients", "times", "same rows"),
        tuple(
            (
                design.arm,
                "-" if design.seeks is None else f"{design.seeks:,}",
                "-" if design.view_calls is None else f"{design.view_calls:,}",
                number(design.write_ms) + ("*" if design.predicted and design.write_ms else ""),
                _clients(design.ceiling),
                number(design.times_cheaper),
                "yes" if design.same_rows else "-",
            )
            for design in review.designs
        ),
    )


def _notes(review: Review) -> tuple[str, ...]:
    told = [
        "seeks, calls, ms: index seeks, view calls and cost of a write; "
        f"clients: the most within {review.budget_ms:g} ms a write, with the 95 % interval; "
        f"times: how many times cheaper than {review.base}; same rows: every client was seen to "
        f"hold the rows of {review.base}, row by row"
    ]
    if uncounted := [d.arm for d in review.designs if d.write_ms and d.seeks is None]:
        told.append(f"{', '.join(uncounted)}: {_UNCOUNTED}")
    if any(design.predicted for design in review.designs):
        told.append("*: predicted by the cost model, not measured")
    told += [f"{d.arm}: no cost: {d.reason}" for d in review.designs if d.write_ms is None]
    return tuple(told)


def _clients(item: Ceiling | None) -> str:
    if item is None:
        return "-"
    has_interval = item.status is Status.FINITE and item.low is not None
    return clients_text(item) + (f" ({span(item.low, item.high)})" if has_interval else "")


def _cost(design: Design) -> str:
    return text_ms(design.write_ms or 0.0) + (" (predicted)" if design.predicted else "")


def _times(design: Design) -> str:
    return f"{number(design.times_cheaper)} times cheaper"


def _cheaper(one: Design, other: Design) -> bool:
    return one.write_ms is not None and one.write_ms < (other.write_ms or 0.0)


def _keeps_reducers(one: Design, other: Design) -> bool:
    return any("reducer" in text for text in other.moving) and not any(
        "reducer" in text for text in one.moving
    )
