"""The report of a run, built once for every renderer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.model.analysis import Analysis, ArmAnalysis
from analyzer.report.ceilings import ceiling_section
from analyzer.report.layout import Block, Content, Lines, Section
from analyzer.report.measured import cost_tables, drift_section, split_table, void_section
from analyzer.report.modelled import fit_blocks, law_lines, ratio_section
from analyzer.report.verified import verified_section

if TYPE_CHECKING:
    import pandas as pd

_SUBSCRIBERS = {
    "websocket": "WebSocket clients",
    "engine": "inside the engine, without sockets",
}


def build_content(
    analysis: Analysis,
    frame: pd.DataFrame,
    manifest: Mapping[str, Any],
    run_dir: Path | None,
    control: Mapping[str, Any] | None = None,
) -> Content:
    """Sections of the report, the answer first.

    `manifest` may hold `engine` (name and version), `plan`, `argv`; `control` is the drift cell
    (arm, clients, rows, first_ms, last_ms).
    """
    symbol = analysis.arms[0].axis.symbol if analysis.arms else "R"
    sections = [
        _head(manifest, run_dir),
        ceiling_section(analysis),
        verified_section(analysis.verification) if analysis.verification else None,
        *(_arm_section(arm, frame) for arm in analysis.arms),
        ratio_section(analysis),
        drift_section(control, symbol),
        void_section(frame, symbol),
    ]
    scenarios = ", ".join(dict.fromkeys(arm.scenario for arm in analysis.arms))
    title = f"stdb-sweep: {scenarios or 'nothing measured'}"
    return Content(title, tuple(section for section in sections if section))


def _head(manifest: Mapping[str, Any], run_dir: Path | None) -> Section | None:
    engine = manifest.get("engine")
    if isinstance(engine, Mapping):
        engine = " ".join(
            str(engine[key]) for key in ("kind", "name", "version") if engine.get(key)
        )
    argv = manifest.get("argv")
    facts = {
        "engine": engine,
        "subscribers": _SUBSCRIBERS.get(manifest.get("plan", {}).get("subscribers")),
        "command": " ".join(map(str, argv)) if argv else None,
        "run directory": run_dir,
    }
    texts = tuple(f"{name}: {fact}" for name, fact in facts.items() if fact)
    return Section("Run", (Lines(texts),)) if texts else None


def _arm_section(arm: ArmAnalysis, frame: pd.DataFrame) -> Section:
    own = frame[(frame["scenario"] == arm.scenario) & (frame["arm"] == arm.arm)]
    blocks: list[Block] = [*cost_tables(own, arm.axis)]
    if split := split_table(own, arm.axis):
        blocks.append(split)
    blocks.append(law_lines(arm))
    if arm.model:
        blocks.extend(fit_blocks(arm.model))
    else:
        blocks.append(Lines((f"no cost model: {arm.refusal}",)))
    return Section(f"{arm.scenario} / {arm.arm}", tuple(blocks))
