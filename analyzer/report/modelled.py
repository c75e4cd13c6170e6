"""What the numbers say: laws, fits, ratios."""

from __future__ import annotations

from analyzer.arms import Arm, Scenario
from analyzer.model.analysis import BASE, Analysis, ArmAnalysis
from analyzer.model.axis import RowAxis, row_axis
from analyzer.model.fit import Fit
from analyzer.model.laws import Law
from analyzer.model.model import Model
from analyzer.model.ratio import Ratio
from analyzer.model.terms import LETTERS
from analyzer.published import TIMES_CHEAPER
from analyzer.report.ceilings import unfinished_section
from analyzer.report.layout import Block, Content, Lines, Section, Table
from analyzer.report.numbers import number, percent, span
from analyzer.units import every

_COUNT_NAMES = {
    "index_seeks": "index seeks",
    "view_calls": "view calls",
    "rows_scanned": "rows scanned",
}
_ARTICLE_LAW = ("lobby", BASE, "index_seeks")
"""The one law the article states, S x (4G + 1) + 1; the scenario declares the same."""


def law_lines(arm: ArmAnalysis, scenario: Scenario | None) -> Lines:
    """One sentence a count: formula, residual, and whether it is the law that `scenario` declares.

    `scenario` is None where nothing is declared.
    """
    declared = next((a for a in scenario.arms if a.name == arm.arm), None) if scenario else None
    return Lines(tuple(_law_text(arm, count, law, declared) for count, law in arm.laws.items()))


def _law_text(arm: ArmAnalysis, count: str, law: Law, declared: Arm | None) -> str:
    name = f"{_COUNT_NAMES[count]} per write"
    if law.coefficients is None:
        return f"{name}: {'; '.join(law.notes)}"
    formula = law.formula(arm.axis)
    if law.exact:
        proof = f"exact in {every(len(law.cells), 'cell')} (residual 0)"
        told = [f"{name}: {formula}", proof, *law.notes]
    else:
        told = [f"{name}: {'; '.join(law.notes)}", f"nearest: {formula}"]
    return "; ".join([*told, *_against_declared(arm, count, law, declared)])


def _against_declared(arm: ArmAnalysis, count: str, law: Law, declared: Arm | None) -> list[str]:
    laws = declared and {
        "index_seeks": declared.seeks,
        "view_calls": declared.view_calls,
        "rows_scanned": declared.rows_scanned,
    }
    expected = laws and laws[count]
    if not expected:
        return []
    who = "published law" if (arm.scenario, arm.arm, count) == _ARTICLE_LAW else "declared law"
    for s, r in law.cells:
        if law.value(s, r) != expected(s, r):
            where = f"{expected(s, r):,} at S={s} {arm.axis.symbol}={r}"
            return [f"differs from the {who}, which gives {where}"]
    return [f"{who}: agrees"]


def fit_content(analysis: Analysis) -> Content:
    """The cost model of every arm, or why it has none."""
    sections = [unfinished_section(analysis)]
    for arm in analysis.arms:
        refused = Section(f"{arm.scenario} / {arm.arm}", (Lines((no_model(arm),)),))
        sections.append(model_section(arm.model) if arm.model else refused)
    return Content("The cost of one write", tuple(filter(None, sections)))


def no_model(arm: ArmAnalysis) -> str:
    """Why an arm has no cost model."""
    return f"no cost model: {arm.refusal}"


def model_section(model: Model) -> Section:
    """One cost model by itself: what an arm's section says, and every form beside it."""
    title = f"{model.scenario} / {model.arm}"
    return Section(title, (*fit_blocks(model), _forms_table(model)))


def fit_blocks(model: Model) -> list[Block]:
    """The chosen form with units and intervals, its error, the runner-up and the notes."""
    choice, boot, axis = model.choice, model.boot, model.axis
    best = choice.best
    unknown: list[tuple[float | None, float | None]] = [(None, None)] * len(best.coefficients)
    table = Table(
        f"cost model: {best.form.name}, {best.form.formula(axis)}",
        ("term", "value", "95 % interval", "unit"),
        tuple(
            (
                letter,
                number(value * term.scale),
                span(low and low * term.scale, high and high * term.scale) if high else "-",
                term.unit_for(axis),
            )
            for letter, term, value, (low, high) in zip(
                LETTERS,
                best.form.terms,
                best.coefficients,
                boot.intervals() or unknown,
                strict=False,
            )
        ),
    )
    error = f"relative error {percent(best.relative_rms)} rms over {best.n} cells"
    if seen := choice.ranked[0].held_out:
        error += f"; S={best.max_clients} foretold by fewer clients"
        error += f" within {percent(seen.error)} rms"
    texts = [error]
    if not boot.reason:
        texts.append(_doubt(model))
    if choice.runner_up:
        texts.append(f"runner-up: {_behind(choice.runner_up, best, axis)}")
    texts.extend([*choice.notes, *filter(None, [boot.reason])])
    return [table, Lines(tuple(texts))]


def _doubt(model: Model) -> str:
    """What the intervals of costs and ceilings hold beside the noise between repeats."""
    doubt = model.doubt
    return (
        "intervals: of coefficients, noise between repeats; of costs and ceilings also what the "
        f"form misses in these cells ({percent(doubt.misfit)}) and, beyond them, "
        f"{percent(doubt.drift)} of the power by which the cost grows"
    )


def _behind(second: Fit, best: Fit, axis: RowAxis) -> str:
    text = f"{second.form.name}, {second.form.formula(axis)}, relative error "
    text += percent(second.relative_rms)
    if second.parts or best.parts:
        return text
    behind = second.aicc - best.aicc
    return f"{text}, AICc {abs(behind):.1f} {'behind' if behind >= 0 else 'ahead'}"


def _forms_table(model: Model) -> Table:
    """Every form these cells can carry: how well it fits, and how well it foretells."""
    ranked = model.choice.ranked
    held_out = any(c.held_out for c in ranked)
    foretold = f"S={model.choice.best.max_clients} foretold" if held_out else "foretold"
    return Table(
        "forms; a rival does not explain, or lacks the merge that the counts prove",
        ("form", "", "error", "AICc", foretold),
        tuple(
            (
                c.name,
                "rival" if c.rival else "",
                percent(c.fit.relative_rms),
                "-" if c.fit.parts else f"{c.fit.aicc:.1f}",
                f"within {percent(c.held_out.error)}" if c.held_out else "-",
            )
            for c in ranked
        ),
        labels=2,
    )


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
