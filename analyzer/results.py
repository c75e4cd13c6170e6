"""From a run directory to its result files: the right-hand side, with no server in sight."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from analyzer.errors import RunError
from analyzer.frames import cells_frame
from analyzer.model.analysis import BUDGET_MS, Analysis, analyse
from analyzer.model.budget import Budget
from analyzer.model.export import ceilings_csv, laws_document, model_document
from analyzer.report.content import build_content
from analyzer.report.formats import run_report
from analyzer.report.layout import Content, Section
from analyzer.report.pictures import write_pictures
from analyzer.report.reviewed import advice_section
from analyzer.review import review
from analyzer.store import Run, RunWriter
from analyzer.verification import read_verification

if TYPE_CHECKING:
    import pandas as pd


def analyse_run(run: Run, budget: Budget | float | None = None) -> tuple[Analysis, Content]:
    """Fit a run and build its report; the budget defaults to the sweep's own.

    Raises RunError when nothing was measured yet.
    """
    if not run.observations:
        raise RunError(f"{run.path} holds no finished cell yet")
    stored = run.manifest.get("analysis", {}).get("budget_ms", BUDGET_MS)
    if not isinstance(stored, (int, float)) or not stored > 0:
        raise RunError(f"{run.path / 'manifest.json'}: its budget_ms is {stored!r}")
    frame = run.frame()
    analysis = analyse(
        frame,
        budget=budget or stored,
        seed=run.plan.seed,
        refusal=run.mixed,
        unfinished=run.unfinished,
    )
    analysis = replace(analysis, verification=read_verification(run, analysis))
    advice = _advice(run, frame, analysis)
    content = build_content(
        analysis, frame, run.manifest, run.path, _drift(run, frame), advice=advice
    )
    return analysis, content


def _advice(run: Run, frame: pd.DataFrame, analysis: Analysis) -> Section | None:
    """What to ship at the largest size; None while one is not measured with clients."""
    if frame.empty or not frame["clients"].max():
        return None
    return advice_section(review(frame, analysis, run.plan.definition))


def write_results(run: Run, analysis: Analysis, content: Content) -> None:
    """Leave cells.csv, laws.json, model.json, ceilings.csv and the report in the run directory.

    The report is report.md and report.html, and its pictures are plots/*.svg.
    """
    writer = RunWriter(run.path, run.manifest)
    writer.write_text("cells.csv", cells_frame(run.frame()).to_csv(index=False))
    writer.write_json("laws.json", laws_document(analysis))
    writer.write_json("model.json", model_document(analysis))
    writer.write_text("ceilings.csv", ceilings_csv(analysis))
    report = run_report(run, analysis, content)
    pictures = report.pictures()
    writer.write_text("report.md", report.text("md"))
    writer.write_text("report.html", report.page(pictures))
    write_pictures(pictures, run.path / "plots")


def _drift(run: Run, frame: pd.DataFrame) -> dict[str, Any] | None:
    """The first cell against itself at the end: what the machine did meanwhile.

    With the reason, and no last time, when the control is void.
    """
    control = run.frame(control=True)
    if control.empty:
        return None
    last = control.iloc[0]
    cell = {"arm": str(last["arm"]), "clients": int(last["clients"]), "rows": int(last["rows"])}
    if last["verdict"] != "ok":
        return cell | {"first_ms": None, "last_ms": None, "reason": str(last["reason"])}
    first = frame[
        (frame["arm"] == last["arm"])
        & (frame["clients"] == last["clients"])
        & (frame["rows"] == last["rows"])
        & (frame["repeat"] == 0)
        & (frame["verdict"] == "ok")
    ]
    if first.empty:
        return None
    first_ms = float(first["write_ms"].iloc[0])
    return cell | {"first_ms": first_ms, "last_ms": float(last["write_ms"]), "reason": ""}
