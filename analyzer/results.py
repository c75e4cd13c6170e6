"""From a run directory to its result files: the right-hand side, with no server in sight."""

from __future__ import annotations

from pathlib import Path

from analyzer.errors import RunError
from analyzer.frames import cells_frame
from analyzer.model.analysis import Analysis, analyse
from analyzer.report.content import Content, build_content
from analyzer.report.markdown import render_markdown
from analyzer.store import Run, RunWriter

DEFAULT_BUDGET_MS = 50.0


def analyse_run(run: Run, budget_ms: float | None = None) -> tuple[Analysis, Content]:
    """Fit a run and build its report. Raises RunError when nothing was measured yet."""
    if not run.observations:
        raise RunError(f"{run.path} holds no finished cell yet")
    budget = budget_ms or run.manifest.get("analysis", {}).get("budget_ms") or DEFAULT_BUDGET_MS
    frame = run.frame()
    analysis = analyse(frame, budget_ms=budget, seed=run.manifest["seed"])
    return analysis, build_content(analysis, frame, run.manifest, run.path)
