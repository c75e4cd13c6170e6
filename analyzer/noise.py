"""A/A calibration: a run against one like itself, and the smallest change that would show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.errors import FitError
from analyzer.model.cells import samples
from analyzer.model.contrast import Contrast, contrast
from analyzer.model.spread import Layout
from analyzer.store import Run

if TYPE_CHECKING:
    import pandas as pd

_HALVES = 4
"""Repeats from which each half has a scatter of its own."""


@dataclass(frozen=True, slots=True)
class Visible:
    """The smallest change of cost seen in 4 of 5 comparisons: 0.1 is 10 % dearer, or 9 % cheaper.

    Over all cells with subscribers, `clients` and `rows` are None.
    """

    clients: int | None
    rows: int | None
    change: float


@dataclass(frozen=True, slots=True)
class Halves:
    """Even repeats against odd ones, over all cells: nothing but noise should differ."""

    ratio: float
    low: float
    high: float
    differs: bool


@dataclass(frozen=True, slots=True)
class ArmNoise:
    """The noise of one arm; with a `reason` nothing of it is known."""

    arm: str
    repeats: tuple[float, ...]
    """Cost of each repeat over their mean, in all cells with subscribers: 1.1 was 10 % slower."""
    over_all: Visible | None
    cells: tuple[Visible, ...]
    halves: Halves | None
    """None below four repeats."""
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data; unknown is None."""
        return asdict(self)


def noise(run: Run) -> tuple[ArmNoise, ...]:
    """Say for each arm what `compare` could see against another run as noisy as `run`.

    The run is set against itself as two independent runs: the interval around 1 is what noise
    alone makes, and what must come on top to leave it in 4 of 5 cases is the smallest visible
    change (`analyzer.model.contrast`). From four repeats on, even ones are compared with odd ones
    as well. What the machine does between two runs and within none of them, no run can know.
    """
    return tuple(_of_arm(str(arm), rows) for arm, rows in run.frame().groupby("arm", sort=False))


def _of_arm(arm: str, frame: pd.DataFrame) -> ArmNoise:
    inhabited = frame[frame["clients"] > 0]
    try:
        data = samples(inhabited)
        found = contrast(data, data)
    except FitError as error:
        return ArmNoise(arm, (), None, (), None, str(error))
    over_all, *each = found.visible
    layout = Layout.of(data)
    cells = zip(data.clients, data.rows, each, strict=True)
    return ArmNoise(
        arm,
        tuple(float(share) for share in np.exp(layout.shares(layout.logs))),
        Visible(None, None, over_all),
        tuple(Visible(int(s), int(r), change) for s, r, change in cells),
        _halves(inhabited, int(layout.counts.min())),
        "",
    )


def _halves(frame: pd.DataFrame, repeats: int) -> Halves | None:
    if repeats < _HALVES:
        return None
    odd = frame["repeat"] % 2 == 1
    found: Contrast = contrast(samples(frame[~odd]), samples(frame[odd]))
    return Halves(found.ratios[0], *found.intervals[0], found.told_apart[0])
