"""What the numbers say: laws, fits, ceilings, ratios."""

from __future__ import annotations

from analyzer.model.analysis import BASE, Analysis, ArmAnalysis, Model
from analyzer.model.axis import RowAxis, row_axis
from analyzer.model.ceiling import Ceiling, Status
from analyzer.model.fit import Fit
from analyzer.model.laws import Law
from analyzer.model.ratio import Ratio
from analyzer.published import TIMES_CHEAPER, published_ceilings
from analyzer.report.layout import Block, Lines, Section, Table
from analyzer.report.numbers import number, percent, span
from analyzer.scenarios import SCENARIOS

_COUNT_NAMES = {
    "index_seeks": "index seeks",
    "view_calls": "view calls",
    "rows_scanned": "rows scanned",
}
_ARTICLE_LAW = ("lobby", BASE, "index_seeks")
"""The one law the article states, S x (4G + 1) + 1; the scenario declares the same."""


def law_lines(arm: ArmAnalysis) -> Lines:
    """One sentence a count: formula, residual, and whether it is the law expected."""
    return Lines(tuple(_law_text(arm, count, law) for count, law in arm.laws.items()))


def _law_text(arm: ArmAnalysis, count: str, law: Law) -> str:
    name = f"{_COUNT_NAMES[count]} per write"
    if law.coefficients is None:
        return f"{name}: {'; '.join(law.notes)}"
    proof = [f"exact in all {len(law.cells)} cells (residual 0)"] if law.exact else []
    formula = f"{name}: {law.formula(arm.axis)}"
    return "; ".join([formula, *proof, *law.notes, *_against_expected(arm, count, law)])


def _against_expected(arm: ArmAnalysis, count: str, law: Law) -> list[str]:
    scenario = SCENARIOS.get(arm.scenario)
    declared = next((a for a in scenario.arms if a.name == arm.arm), None) if scenario else None
    if declared is None:
        return []
    expected = {
        "index_seeks": declared.seeks,
        "view_calls": declared.view_calls,
        "rows_scanned": declared.rows_scanned,
    }[count]
    who = "published law" if (arm.scenario, arm.arm, count) == _ARTICLE_LAW else "declared law"
    if expected is None:
        return []
    for s, r in law.cells:
        if law.value(s, r) != expected(s, r):
            return [f"{who}: parts, {expected(s, r):,} at S={s} {arm.axis.symbol}={r}"]
    return [f"{who}: agrees"]


def fit_blocks(model: Model, axis: RowAxis) -> list[Block]:
    """The chosen form with units and intervals, its error, the runner-up and the notes."""
    choice, boot = model.choice, model.boot
    best = choice.best
    unknown: list[tuple[float | None, float | None]] = [(None, None)] * len(best.coefficients)
    table = Table(
        f"cost model: {best.form.name}, {best.form.formula(axis)}",
        ("term", "value", "95 % interval", "unit"),
        tuple(
            (
                letter,
                number(value * term.scale),
                span(low and low * term.scale, high and high * term.scale),
                term.unit_for(axis),
            )
            for letter, term, value, (low, high) in zip(
                "abcdefgh",
                best.form.terms,
                best.coefficients,
                boot.intervals() or unknown,
                strict=False,
            )
        ),
    )
    error = f"relative error {percent(best.relative_rms)} rms over {best.n} cells"
    if not boot.reason:
        error += "; the intervals show noise between repeats, not this misfit"
    texts = [error]
    if choice.runner_up:
        texts.append(f"runner-up: {_behind(choice.runner_up, best, axis)}")
    texts.extend([*choice.notes, *filter(None, [boot.reason])])
    return [table, Lines(tuple(texts))]


def _behind(second: Fit, best: Fit, axis: RowAxis) -> str:
    return (
        f"{second.form.name}, {second.form.formula(axis)}, relative error "
        f"{percent(second.relative_rms)}, AICc {second.aicc - best.aicc:.1f} behind"
    )


def ceiling_section(analysis: Analysis) -> Section | None:
    """Ceilings of every arm and row count, beside the article's where it has them."""
    budget, article = published_ceilings()
    rows = []
    notes: dict[str, list[str]] = {}
    for arm in analysis.arms:
        for item in arm.model.ceilings if arm.model else ():
            ours = (arm.scenario, arm.arm) == ("lobby", BASE) and analysis.budget_ms == budget
            theirs = article.get(item.rows) if ours else None
            rows.append(
                (
                    arm.arm,
                    f"{item.rows:,} {arm.axis.noun}s",
                    clients_text(item),
                    "-" if item.status is Status.REFUSED else span(item.low, item.high),
                    "-" if item.extrapolation is None else f"{item.extrapolation:.2f}x",
                    "-" if theirs is None else str(theirs),
                )
            )
            if item.note:
                notes.setdefault(f"{arm.arm}: {item.note}", []).append(f"{item.rows:,}")
    if not rows:
        return None
    columns = ("arm", "rows", "clients", "95 % interval", "reach", "article")
    shown = len(columns) if any(row[-1] != "-" for row in rows) else len(columns) - 1
    table = Table("", columns[:shown], tuple(row[:shown] for row in rows), labels=2)
    texts = [f"{note} ({', '.join(where)})" for note, where in notes.items()]
    texts.append("reach: the ceiling over the largest number of clients measured")
    title = f"Ceilings at {analysis.budget_ms:g} ms of lock per write"
    return Section(title, (table, Lines(tuple(texts))))


def clients_text(item: Ceiling) -> str:
    """`33`, `at least 300`, `no finite limit`."""
    if item.status is Status.UNLIMITED:
        return "no finite limit"
    if item.status is Status.REFUSED:
        return f"at least {item.at_least:,}"
    return f"{item.clients:,}"


def ratio_section(analysis: Analysis) -> Section | None:
    """How many times cheaper each arm is than the base, in every cell."""
    if not analysis.ratios:
        return None
    blocks: list[Block] = []
    base = analysis.ratios[0].base
    for scenario, arm in dict.fromkeys((r.scenario, r.arm) for r in analysis.ratios):
        cells = [r for r in analysis.ratios if (r.scenario, r.arm) == (scenario, arm)]
        axis = row_axis(scenario)
        blocks.append(
            Table(
                f"{arm}: write cost of {base} over its own",
                ("clients", f"{axis.noun}s", "times cheaper", "95 % interval"),
                tuple(
                    (f"{r.clients:,}", f"{r.rows:,}", number(r.times), span(r.low, r.high))
                    for r in cells
                ),
                labels=0,
            )
        )
        blocks.append(Lines((_worst_cell(cells, axis),)))
    return Section(f"Cheaper than {base}", tuple(blocks))


def _worst_cell(cells: list[Ratio], axis: RowAxis) -> str:
    worst = max(cells, key=lambda r: (r.clients, r.rows))
    text = (
        f"{worst.arm} is {number(worst.times)} times cheaper at S={worst.clients}, "
        f"{axis.symbol}={worst.rows}"
    )
    if (worst.scenario, worst.arm, worst.clients, worst.rows) == ("lobby", "anonymous", 100, 1000):
        text += f" (article: {TIMES_CHEAPER})"
    return text
