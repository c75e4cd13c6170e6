"""From a run directory to its result files: the right-hand side, with no server in sight."""

from __future__ import annotations

from dataclasses import replace

from analyzer.errors import RunError
from analyzer.frames import cells_frame
from analyzer.model.analysis import BUDGET_MS, Analysis, analyse
from analyzer.model.budget import Budget
from analyzer.model.export import ceilings_csv, laws_document, model_document
from analyzer.report.content import build_content
from analyzer.report.layout import Content
from analyzer.report.markdown import render_markdown
from analyzer.store import Run, RunWriter
from analyzer.verification import read_verification


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
    analysis = analyse(frame, budget=budget or stored, seed=run.plan.seed, refusal=run.mixed)
    analysis = replace(analysis, verification=read_verification(run, analysis))
    return analysis, build_content(analysis, frame, run.manifest, run.path, control=_drift(run))


def write_results(run: Run, analysis: Analysis, content: Content) -> None:
    """Leave cells.csv, laws.json, model.json, ceilings.csv and report.md in the run directory."""
    writer = RunWriter(run.path, run.manifest)
    writer.write_text("cells.csv", cells_frame(run.frame()).to_csv(index=False))
    writer.write_json("laws.json", laws_document(analysis))
    writer.write_json("model.json", model_document(analysis))
    writer.write_text("ceilings.csv", ceilings_csv(analysis))
    writer.write_text("report.md", render_markdown(content))


def _drift(run: Run) -> dict[str, object] | None:
    """The first cell against itself at the end: what the machine did meanwhile."""
    control = run.frame(control=True)
    if control.empty or (control["verdict"] != "ok").any():
        return None
    last = control.iloc[0]
    frame = run.frame()
    first = frame[
        (frame["arm"] == last["arm"])
        & (frame["clients"] == last["clients"])
        & (frame["rows"] == last["rows"])
        & (frame["repeat"] == 0)
        & (frame["verdict"] == "ok")
    ]
    if first.empty:
        return None
    return {
        "arm": str(last["arm"]),
        "clients": int(last["clients"]),
        "rows": int(last["rows"]),
        "first_ms": float(first["write_ms"].iloc[0]),
        "last_ms": float(last["write_ms"]),
    }
