"""The pictures of a report: which there are, what they are called, which section they go with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.folder import replace_text, writing
from analyzer.model.analysis import Analysis, ArmAnalysis

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from analyzer.experiments.lab import Records


@dataclass(frozen=True, slots=True)
class Picture:
    """One plot, drawn when it is asked for."""

    name: str
    """The stem of its file in `plots/`."""
    caption: str
    arm: str | None
    """Whose evidence it is; None belongs to the answer."""
    draw: Callable[[], Figure]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture as the text of an SVG file."""

    name: str
    caption: str
    arm: str | None
    svg: str


def run_pictures(analysis: Analysis, frame: pd.DataFrame) -> list[Picture]:
    """Every plot that the cells of a run can carry, the answer's first.

    `frame` is as `Run.frame` gives it. None without matplotlib.
    """
    if find_spec("matplotlib") is None or not (frame["verdict"] == "ok").any():
        return []
    from analyzer import plots

    budget_ms = analysis.budget.write_ms
    found = [
        Picture(
            "arms", "Measured write cost of each design. Lower is better; above the dashed line "
            "a write takes more than the budget.", None,
            lambda: plots.arms_side_by_side(frame, budget_ms=budget_ms),
        )
    ]  # fmt: skip
    models = [arm.model for arm in analysis.arms if arm.model]
    if models:
        found.append(
            Picture(
                "measured-against-predicted", "Every cell against its cost model: the nearer to "
                "the line, the better the model.", None,
                lambda: plots.measured_against_predicted(models),
            )
        )  # fmt: skip
    for arm in analysis.arms:
        found.extend(_arm_pictures(arm, frame, budget_ms))
    return found


def _arm_pictures(
    arm: ArmAnalysis, frame: pd.DataFrame, budget_ms: float | None
) -> Iterable[Picture]:
    from analyzer import plots

    stem, model = re.sub(r"\W", "-", arm.arm), arm.model
    if model:
        yield Picture(
            f"{stem}-cost", "Measured cells, the fitted model and its 95 % band.", arm.arm,
            lambda: plots.cost_curves(model, budget_ms=budget_ms, frame=frame),
        )  # fmt: skip
        yield Picture(
            f"{stem}-ceilings", "The most clients for every budget. Hatched: the data carry no "
            "number, only at least so many, or no finite limit (∞).", arm.arm,
            lambda: plots.ceiling_map(model, budget_ms=budget_ms),
        )  # fmt: skip
    own = frame[frame["arm"] == arm.arm]
    if ((own["clients"] > 0) & (own["verdict"] == "ok")).any():
        yield Picture(
            f"{stem}-split", "The parts of the write cost, in % of the whole above each bar.",
            arm.arm, lambda: plots.time_split(frame, arm.arm),
        )  # fmt: skip
    if model:
        yield Picture(
            f"{stem}-residuals", "What the model misses in each cell; a trend would be a misfit.",
            arm.arm, lambda: plots.residuals(model),
        )  # fmt: skip


def experiment_pictures(found: Records) -> list[Picture]:
    """The plots of an experiment: the residue has its timeline."""
    writes = any(record.get("kind") == "write" for record in found.records)
    if found.experiment != "residue" or not writes or find_spec("matplotlib") is None:
        return []
    from analyzer import plots

    return [
        Picture(
            "timeline", "Ghosts are view instances whose client has gone and that every write "
            "still runs.", None, lambda: plots.residue_timeline(found),
        )
    ]  # fmt: skip


def drawn(pictures: Iterable[Picture]) -> list[Drawn]:
    """Draw them all, once for the page and for the files."""
    if not pictures:
        return []
    from analyzer.plots import svg

    return [Drawn(p.name, p.caption, p.arm, svg(p.draw())) for p in pictures]


def write_pictures(pictures: Iterable[Drawn], folder: Path) -> None:
    """Leave each as `<name>.svg` in `folder`. Raises RunError when the disk does not take it."""
    for picture in pictures:
        with writing(folder):
            folder.mkdir(exist_ok=True)
        replace_text(folder / f"{picture.name}.svg", picture.svg)
