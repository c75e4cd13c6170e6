"""Trained on the cells of few clients, held against those of more: does the model reach there?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from analyzer.errors import FitError
from analyzer.model.bootstrap import DRAWS, SEED
from analyzer.model.cells import samples
from analyzer.model.model import Model, fit_arm

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Foretold:
    """A cell that the model has not seen; costs in ms per write, None where there is none."""

    clients: int
    rows: int
    measured_ms: float
    foretold_ms: float
    low_ms: float | None
    high_ms: float | None
    """95 % interval for the mean of as many repeats as were measured."""
    bilinear_ms: float | None
    """What the article's form foretells from the same cells."""

    @property
    def error(self) -> float:
        """Relative to what was measured: -0.1 is 10 % too low."""
        return self.foretold_ms / self.measured_ms - 1

    @property
    def bilinear_error(self) -> float | None:
        """The same of the bilinear form."""
        return None if self.bilinear_ms is None else self.bilinear_ms / self.measured_ms - 1

    @property
    def inside(self) -> bool | None:
        """Whether the measured cost is inside the interval; None without one."""
        if self.low_ms is None or self.high_ms is None:
            return None
        return self.low_ms <= self.measured_ms <= self.high_ms


@dataclass(frozen=True, slots=True, eq=False)
class Foresight:
    """A model of one arm trained on few clients, and the cells of more that it foretells."""

    model: Model
    cells: tuple[Foretold, ...]

    @property
    def training(self) -> str:
        """The cells it took: `18 cells, S = 0, 10, 50 at G = 8, 64`."""
        data = self.model.choice.best.data
        clients, rows = (sorted({int(n) for n in axis}) for axis in (data.clients, data.rows))
        listed = (", ".join(f"{n:,}" for n in numbers) for numbers in (clients, rows))
        many, few = listed
        return f"{len(data)} cells, S = {many} at {self.model.axis.symbol} = {few}"

    @property
    def error(self) -> float:
        """Root of the mean squared relative error over all cells foretold."""
        return math.sqrt(sum(cell.error**2 for cell in self.cells) / len(self.cells))

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data; unknown is None."""
        cells = [
            asdict(cell)
            | {"error": cell.error, "bilinear_error": cell.bilinear_error, "inside": cell.inside}
            for cell in self.cells
        ]
        return {
            "scenario": self.model.scenario,
            "arm": self.model.arm,
            "model": self.model.to_dict(),
            "training": self.training,
            "error": self.error,
            "foretold": cells,
        }


def foretell(frame: pd.DataFrame, up_to: int, *, seed: int = SEED, draws: int = DRAWS) -> Foresight:
    """Fit the rows of one arm up to S = `up_to` and predict every cell beyond.

    Parameters
    ----------
    frame
        The rows of one arm, tidy as a run gives them.
    up_to
        Clients of the largest cells to train on.
    seed, draws
        Of the bootstrap.

    Raises
    ------
    FitError
        When no cell is beyond `up_to`, or those up to it carry no model (`choose`).
    """
    trained = frame["clients"] <= up_to
    if trained.all():
        raise FitError(f"no cell has more than {up_to} clients: nothing is left to foretell")
    model, more = fit_arm(frame[trained], seed=seed, draws=draws), samples(frame[~trained])
    bilinear = next((c.fit for c in model.choice.ranked if c.name == "bilinear"), None)
    cells = []
    for s, r, values in zip(more.clients, more.rows, more.repeats, strict=True):
        low, high = model.interval(s, r, repeats=len(values)) or (None, None)
        beside = bilinear.predict(s, r) if bilinear else None
        cells.append(
            Foretold(int(s), int(r), float(values.mean()), model.predict(s, r), low, high, beside)
        )
    return Foresight(model, tuple(cells))
