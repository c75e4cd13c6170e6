"""What the fits read: the measured cells of one arm, each with the values of its repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from analyzer.errors import FitError

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """One value per repeat in each cell.

    `clients` and `rows` have one item a cell; `repeats` one array a cell. Windows of one repeat
    share a database and its state, so they are averaged before they come here.
    """

    clients: Floats
    rows: Floats
    repeats: tuple[Floats, ...]

    @property
    def means(self) -> Floats:
        """Mean over the repeats of each cell."""
        return np.array([values.mean() for values in self.repeats])

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.repeats)


def usable(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows that are not void and whose `column` is known."""
    return frame[(frame["verdict"] == "ok") & frame[column].notna()]


def samples(frame: pd.DataFrame, column: str = "write_ms") -> Samples:
    """Gather `column` of one arm by cell.

    Parameters
    ----------
    frame
        One row per cell and repeat, with at least clients, rows, verdict and `column`.
    column
        A cost in ms, above 0.

    Raises
    ------
    FitError
        When no usable row is left, or a cost is not above 0 (its relative error has no meaning).
    """
    known = usable(frame, column)
    if known.empty:
        raise FitError(f"no cell is left to fit: every one is void or its {column} is unknown")
    if (known[column] <= 0).any():
        worst = known.sort_values(column).iloc[0]
        raise FitError(
            f"{column} is {worst[column]:g} at S={worst['clients']} R={worst['rows']}: "
            "a cost must be above 0"
        )
    clients, rows, repeats = [], [], []
    for (s, r), values in known.groupby(["clients", "rows"], sort=True)[column]:
        clients.append(s)
        rows.append(r)
        repeats.append(values.to_numpy(dtype=np.float64))
    return Samples(
        np.array(clients, dtype=np.float64), np.array(rows, dtype=np.float64), tuple(repeats)
    )
