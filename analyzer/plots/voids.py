"""Cells that no repeat of could be used: every plot marks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def void_cells(frame: pd.DataFrame | None, arm: str) -> dict[tuple[int, int], float]:
    """Mean write cost in ms, NaN when unknown, by (clients, rows) of the void cells of `arm`."""
    if frame is None:
        return {}
    own = frame[frame["arm"] == arm].assign(whole=lambda rows: rows["verdict"] == "ok")
    cells = own.groupby(["clients", "rows"]).agg({"whole": "any", "write_ms": "mean"}).reset_index()
    void = cells[~cells["whole"]]
    columns = (void[name] for name in ("clients", "rows", "write_ms"))
    return {(int(s), int(r)): float(ms) for s, r, ms in zip(*columns, strict=True)}
