"""The refits of the article's tables as a report."""

from __future__ import annotations

from analyzer.model.axis import RowAxis, row_axis
from analyzer.published import SOURCES, Refit, published_ceilings, refit
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.modelled import clients_text
from analyzer.report.numbers import number, percent


def published_content() -> Content:
    """Every published table: all forms, our ceilings beside the article's, where they part."""
    return Content(
        "The article's tables, refitted", tuple(_section(refit(source)) for source in SOURCES)
    )


def _section(found: Refit) -> Section:
    axis = row_axis(found.source.scenario)
    forms = Table(
        "forms, best first",
        ("form", "formula", "coefficients", "error"),
        tuple(
            (
                fit.form.name,
                fit.form.formula(axis),
                ", ".join(
                    number(value * term.scale)
                    for term, value in zip(fit.form.terms, fit.coefficients, strict=True)
                ),
                percent(fit.relative_rms),
            )
            for fit in found.choice.ranked
        ),
        labels=2,
    )
    return Section(
        found.source.table.replace("_", " "),
        (forms, Lines(_sentences(found)), _ceilings(found, axis), Lines(found.differences)),
    )


def _ceilings(found: Refit, axis: RowAxis) -> Table:
    budget, article = published_ceilings()
    columns = (f"{axis.noun}s", "clients", "reach", "article")
    shown = len(columns) if found.source.table == "lobby_per_sender" else len(columns) - 1
    rows = (
        (
            f"{item.rows:,}",
            clients_text(item),
            "-" if item.extrapolation is None else f"{item.extrapolation:.2f}x",
            str(article.get(item.rows, "-")),
        )
        for item in found.ceilings
    )
    caption = f"ceilings at {budget:g} ms"
    return Table(caption, columns[:shown], tuple(row[:shown] for row in rows))


def _sentences(found: Refit) -> tuple[str, ...]:
    axis = row_axis(found.source.scenario)
    terms = " + ".join(
        f"{number(value * term.scale)} {term.unit_for(axis)}"
        for term, value in zip(found.fit.form.terms, found.fit.coefficients, strict=True)
    )
    texts = [f"ours: {terms}"]
    if found.source.statement:
        texts.append(f"article: {found.source.statement.text}")
    texts.extend(found.choice.notes)
    texts.append("one repeat was published: no interval can be given")
    return tuple(texts)
