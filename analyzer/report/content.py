"""The report of a run, built once for every renderer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.arms import Scenario
from analyzer.model.analysis import Analysis, ArmAnalysis
from analyzer.report.ceilings import ceiling_section, unfinished_section
from analyzer.report.layout import Block, Content, Lines, Section
from analyzer.report.measured import cost_table, drift_section, split_table, void_section
from analyzer.report.modelled import fit_blocks, law_lines, no_model, ratio_section
from analyzer.report.verified import verified_section
from analyzer.scenarios import SCENARIOS

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
    *,
    advice: Section | None = None,
) -> Content:
    """Sections of the report: the answer, what it rests on, where it comes from.

    `manifest` may hold `engine` (name and version), `plan`, `argv`; `control` is the drift cell
    (arm, clients, rows, first_ms, last_ms, reason); `advice` says which design to ship.
    """
    symbol = analysis.arms[0].axis.symbol if analysis.arms else "R"
    sections = [
        unfinished_section(analysis),
        ceiling_section(analysis, void=int((frame["verdict"] != "ok").sum())),
        verified_section(analysis.verification) if analysis.verification else None,
        advice,
        *(_arm_section(arm, frame, _scenario(arm.scenario, manifest)) for arm in analysis.arms),
        ratio_section(analysis),
        drift_section(control, symbol),
        void_section(frame, symbol, control),
        _origin(manifest, run_dir),
    ]
    scenarios = ", ".join(dict.fromkeys(arm.scenario for arm in analysis.arms))
    title = f"stdb-sweep: {scenarios or 'nothing measured'}"
    return Content(title, tuple(section for section in sections if section))


def _origin(manifest: Mapping[str, Any], run_dir: Path | None) -> Section | None:
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


def _scenario(name: str, manifest: Mapping[str, Any]) -> Scenario | None:
    """What the arms of a scenario declare: one of ours, or the user's own; None of a table."""
    own = manifest.get("plan", {}).get("own")
    return Scenario.from_dict(own) if own else SCENARIOS.get(name)


def _arm_section(arm: ArmAnalysis, frame: pd.DataFrame, scenario: Scenario | None) -> Section:
    own = frame[(frame["scenario"] == arm.scenario) & (frame["arm"] == arm.arm)]
    blocks: list[Block] = [cost_table(own, arm.axis)]
    if split := split_table(own, arm.axis):
        blocks.append(split)
    blocks.append(law_lines(arm, scenario))
    if arm.model:
        blocks.extend(fit_blocks(arm.model))
    else:
        blocks.append(Lines((no_model(arm),)))
    return Section(f"{arm.scenario} / {arm.arm}", tuple(blocks))
