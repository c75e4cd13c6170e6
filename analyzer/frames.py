"""Tidy frames from observations: one row per cell and repeat, and one per cell (`cells.csv`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from analyzer.records import Observation
from analyzer.scenarios import SCENARIOS

KEY = ["scenario", "arm", "clients", "rows"]
COUNTS = ["index_seeks", "view_calls", "rows_scanned", "fuel", "deliveries"]
CELL_COLUMNS = [
    *KEY, "repeats", "windows", "writes", "reducer_ms", "update_ms", "write_ms", "write_ms_low",
    "write_ms_high", "index_seeks", "index_seeks_expected", "view_calls", "rows_scanned", "fuel",
    "deliveries", "verdict", "reason",
]  # fmt: skip


def repeats_frame(observations: Sequence[Observation]) -> pd.DataFrame:
    """One row per (cell, repeat): means per write over its windows, NaN where unknown.

    A repeat with a void window is void. Times are per write in ms, counts exact per write.
    """
    columns = [
        *KEY, "repeat", "windows", "writes", "reducer_ms", "update_ms", "write_ms", *COUNTS,
        "index_seeks_expected", "verdict", "reason",
    ]  # fmt: skip
    groups: dict[tuple[object, ...], list[Observation]] = {}
    for observation in observations:
        groups.setdefault((observation.cell, observation.repeat), []).append(observation)
    ordered = sorted(map(_repeat_row, groups.values()), key=_place)
    return pd.DataFrame(ordered, columns=columns)


def _place(row: dict[str, Any]) -> tuple[object, ...]:
    """Arms in the order the scenario declares them: the reader compares with the first."""
    arms = [arm.name for arm in SCENARIOS[row["scenario"]].arms]
    arm = arms.index(row["arm"])
    return (row["scenario"], arm, row["clients"], row["rows"], row["repeat"])


def _repeat_row(group: Sequence[Observation]) -> dict[str, Any]:
    first = group[0]
    table = pd.DataFrame([asdict(window) for window in group])
    writes = int(table["writes"].sum())
    arm = SCENARIOS[first.scenario].arm(first.arm)
    reasons = list(dict.fromkeys(reason for window in group for reason in window.reasons))
    row: dict[str, Any] = {
        "scenario": first.scenario,
        "arm": first.arm,
        "clients": first.clients,
        "rows": first.rows,
        "repeat": first.repeat,
        "windows": len(group),
        "writes": writes,
        "index_seeks_expected": arm.seeks(first.clients, first.rows),
        "verdict": "void" if reasons else "ok",
        "reason": "; ".join(reasons),
    }
    for name in ("reducer_ms", "update_ms"):
        times = table[name].astype(float)
        row[name] = (times * table["writes"]).sum(skipna=False) / writes if writes else float("nan")
    row["write_ms"] = row["reducer_ms"] + row["update_ms"]
    for name in COUNTS:
        counted = table[name].astype(float).sum(skipna=False)
        row[name] = counted / writes if writes else float("nan")
    return row


def cells_frame(repeats: pd.DataFrame) -> pd.DataFrame:
    """The `cells.csv` table: means over repeats, with the lowest and highest repeat.

    Times come from repeats that are whole; with none of them they are unknown.
    """
    rows = []
    for key, group in repeats.groupby(KEY, sort=False):
        whole = group[group["verdict"] == "ok"]
        reasons = "; ".join(dict.fromkeys(group.loc[group["verdict"] != "ok", "reason"]))
        row: dict[str, object] = dict(zip(KEY, key, strict=True))
        row |= {
            "repeats": len(whole),
            "windows": int(whole["windows"].sum()),
            "writes": int(whole["writes"].sum()),
            "write_ms_low": whole["write_ms"].min(),
            "write_ms_high": whole["write_ms"].max(),
            "index_seeks_expected": int(group["index_seeks_expected"].iloc[0]),
            "verdict": "ok" if len(whole) else "void",
            "reason": reasons,
        }
        for name in ("reducer_ms", "update_ms", "write_ms"):
            row[name] = whole[name].mean()
        for name in COUNTS:
            row[name] = (whole if len(whole) else group)[name].mean()
        rows.append(row)
    return pd.DataFrame(rows, columns=CELL_COLUMNS)
