"""The refits of the article's tables as a report."""

from __future__ import annotations

from analyzer.model.axis import RowAxis
from analyzer.model.select import Candidate
from analyzer.published import SOURCES, Refit, published_ceilings, refit, stated_fit
from analyzer.report.ceilings import clients_text, others_text
from analyzer.report.layout import Block, Content, Lines, Section, Table
from analyzer.report.numbers import number, percent


def published_content() -> Content:
    """Every published table: all forms, our ceilings beside the article's, where they part."""
    return Content(
        "The article's tables, refitted", tuple(_section(refit(source)) for source in SOURCES)
    )


def _section(found: Refit) -> Section:
    axis = found.model.axis
    forms = Table(
        "forms, best first; a rival is never chosen",
        ("form", "formula", "coefficients", "error", "AICc"),
        tuple(_form_row(candidate, axis) for candidate in found.model.choice.ranked),
        labels=2,
    )
    texts = Lines((*_sentences(found), *found.differences))
    blocks: list[Block] = [forms, *_coefficients(found), _ceilings(found), texts]
    return Section(found.source.table.replace("_", " "), tuple(blocks))


def _form_row(candidate: Candidate, axis: RowAxis) -> tuple[str, ...]:
    fit = candidate.fit
    values = (
        number(value * term.scale)
        for term, value in zip(fit.form.terms, fit.coefficients, strict=True)
    )
    return (
        f"{candidate.name} (rival)" if candidate.rival else candidate.name,
        fit.form.formula(axis),
        ", ".join(values),
        percent(fit.relative_rms),
        f"{fit.aicc:.1f}",
    )


def _coefficients(found: Refit) -> list[Table]:
    """The article's form with its coefficients and ours, whatever form its table supports."""
    fit = stated_fit(found.source, found.model)
    if fit is None or found.source.statement is None:
        return []
    rows = (
        (
            number(value * term.scale),
            number(found.source.statement.terms[term.name] * term.scale),
            term.unit_for(found.model.axis),
        )
        for term, value in zip(fit.form.terms, fit.coefficients, strict=True)
    )
    caption = f"the article's form, {fit.form.name}: {found.source.statement.text}"
    return [Table(caption, ("ours", "article", "unit"), tuple(rows), labels=0)]


def _ceilings(found: Refit) -> Table:
    budget, article = published_ceilings()
    columns = (f"{found.model.axis.noun}s", "clients", "reach", "other forms", "article")
    shown = len(columns) if found.source.table == "lobby_per_sender" else len(columns) - 1
    rows = (
        (
            f"{item.rows:,}",
            clients_text(item),
            "-" if item.extrapolation is None else f"{item.extrapolation:.2f}x",
            others_text(item),
            str(article.get(item.rows, "-")),
        )
        for item in found.ceilings
    )
    caption = f"ceilings at {budget:g} ms"
    return Table(caption, columns[:shown], tuple(row[:shown] for row in rows))


def _sentences(found: Refit) -> tuple[str, ...]:
    no_interval = "one repeat was published: no interval can be given"
    return (*found.model.choice.notes, no_interval)
