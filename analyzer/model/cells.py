"""What the fits read: the measured cells of one arm, each with the values of its repeats."""

from __future__ import annotations

from dataclasses import dataclass, field
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

    `clients` and `rows` have one item a cell; `repeats` one array a cell, `numbers` the numbers of
    these repeats. Windows of one repeat share a database and its state, so they are averaged
    before they come here.
    """

    clients: Floats
    rows: Floats
    repeats: tuple[Floats, ...]
    numbers: tuple[NDArray[np.int64], ...]
    commit: tuple[Floats, ...] = ()
    """What of `repeats` the commit took; empty where the server's own split does not say."""
    means: Floats = field(init=False)
    """Mean over the repeats of each cell."""

    def __post_init__(self) -> None:
        """Take the means once: every fit asks for them many times."""
        object.__setattr__(self, "means", np.array([values.mean() for values in self.repeats]))

    def where(self, kept: NDArray[np.bool_]) -> Samples:
        """The cells for which `kept`, one item a cell, is true."""
        cells = np.flatnonzero(kept)
        return Samples(
            self.clients[kept],
            self.rows[kept],
            tuple(self.repeats[cell] for cell in cells),
            tuple(self.numbers[cell] for cell in cells),
            tuple(self.commit[cell] for cell in cells) if self.commit else (),
        )

    def parts(self) -> tuple[Samples, Samples]:
        """All but the commit, and the commit. Raises FitError when `commit` is not known."""
        if not self.commit:
            raise FitError("what the commit takes was not measured by itself")
        rest = tuple(all_ - own for all_, own in zip(self.repeats, self.commit, strict=True))
        return (
            Samples(self.clients, self.rows, rest, self.numbers),
            Samples(self.clients, self.rows, self.commit, self.numbers),
        )

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.repeats)


NEEDED = ("clients", "rows", "write_ms")
COMMIT = "commit_ms"
"""Reducer time less the reducer's body and its views: the read-set merge, mostly."""
_ASSUMED = {"scenario": "table", "arm": "all", "verdict": "ok", "reason": ""}
_UNKNOWN = ("reducer_ms", "update_ms", "index_seeks", "view_calls", "rows_scanned")


def tidy(frame: pd.DataFrame) -> pd.DataFrame:
    """Complete a frame of one row per cell and repeat to the columns that a run has.

    Without `arm` all rows are of one, without `repeat` the rows of a cell are numbered.

    Raises
    ------
    FitError
        When one of `NEEDED` is missing, or a repeat is there twice: rows of two runs do not add
        up to one.
    """
    missing = [name for name in NEEDED if name not in frame]
    if missing:
        raise FitError(f"the column {missing[0]} is missing: clients, rows and write_ms are needed")
    assumed: dict[str, str | float] = {**_ASSUMED, **dict.fromkeys(_UNKNOWN, float("nan"))}
    full = frame.assign(**{name: value for name, value in assumed.items() if name not in frame})
    cell = ["scenario", "arm", "clients", "rows"]
    if "repeat" not in full:
        full = full.assign(repeat=full.groupby(cell).cumcount())
    twice = full[full.duplicated([*cell, "repeat"])]
    if len(twice):
        row = twice.iloc[0]
        raise FitError(
            f"repeat {row['repeat']} of {row['arm']} S={row['clients']} R={row['rows']} is there "
            "twice: rows of two runs are not one run"
        )
    return full


def usable(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Rows that are not void and whose `column` is known."""
    return frame[(frame["verdict"] == "ok") & frame[column].notna()]


def samples(frame: pd.DataFrame, column: str = "write_ms") -> Samples:
    """Gather `column` of one arm by cell.

    Parameters
    ----------
    frame
        One row per cell and repeat, with at least clients, rows, repeat, verdict and `column`.
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
    cells = list(known.groupby(["clients", "rows"], sort=True))
    clients, rows = np.array([cell for cell, _ in cells], dtype=np.float64).T

    def values(name: str) -> tuple[Floats, ...]:
        return tuple(group[name].to_numpy(dtype=np.float64) for _, group in cells)

    return Samples(
        clients,
        rows,
        values(column),
        tuple(group["repeat"].to_numpy(dtype=np.int64) for _, group in cells),
        values(COMMIT) if _has_commit(known, column) else (),
    )


def _has_commit(known: pd.DataFrame, column: str) -> bool:
    """Whether every row tells a commit that is a part of `column`; unknown is no part."""
    if COMMIT not in known or column != "write_ms":
        return False
    return bool(((known[COMMIT] > 0) & (known[COMMIT] < known[column])).all())
