"""Tidy frames from observations: one row per cell and repeat, and one per cell (`cells.csv`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from analyzer.arms import Scenario
from analyzer.records import SPLIT, Observation

KEY = ["scenario", "arm", "clients", "rows"]
COUNTS = ["index_seeks", "view_calls", "rows_scanned", "fuel", "deliveries"]
CELL_COLUMNS = [
    *KEY, "repeats", "windows", "writes", "reducer_ms", "update_ms", "write_ms", "write_ms_low",
    "write_ms_high", "index_seeks", "index_seeks_expected", "view_calls", "rows_scanned", "fuel",
    "deliveries", "verdict", "reason", *SPLIT,
]  # fmt: skip


def repeats_frame(observations: Sequence[Observation], scenario: Scenario) -> pd.DataFrame:
    """One row per (cell, repeat): means per write over its windows, NaN where unknown.

    A repeat with a void window is void. Times are per write in ms, counts exact per write; seeks
    and rows of query-builder views are unknown, since the server does not count them.
    """
    columns = [
        *KEY, "repeat", "windows", "writes", "reducer_ms", "update_ms", "write_ms", *SPLIT,
        *COUNTS, "index_seeks_expected", "verdict", "reason",
    ]  # fmt: skip
    groups: dict[tuple[object, ...], list[Observation]] = {}
    for observation in observations:
        groups.setdefault((observation.cell, observation.repeat), []).append(observation)
    # Arms in the order the scenario declares them: the reader compares with the first.
    places = {arm.name: place for place, arm in enumerate(scenario.arms)}
    ordered = sorted(
        (_repeat_row(group, scenario) for group in groups.values()),
        key=lambda row: (places[row["arm"]], row["clients"], row["rows"], row["repeat"]),
    )
    return pd.DataFrame(ordered, columns=columns)


def _repeat_row(group: Sequence[Observation], scenario: Scenario) -> dict[str, Any]:
    first = group[0]
    writes = sum(window.writes for window in group)
    law = scenario.arm(first.arm).seeks
    reasons = list(dict.fromkeys(reason for window in group for reason in window.reasons))
    row: dict[str, Any] = {
        "scenario": first.scenario,
        "arm": first.arm,
        "clients": first.clients,
        "rows": first.rows,
        "repeat": first.repeat,
        "windows": len(group),
        "writes": writes,
        "index_seeks_expected": law(first.clients, first.rows) if law else float("nan"),
        "verdict": "void" if reasons else "ok",
        "reason": "; ".join(reasons),
    }
    for name in ("reducer_ms", "update_ms", "body_ms", "view_ms", "view_body_ms"):
        row[name] = _per_write((_known(w, name) * w.writes for w in group), writes)
    row["write_ms"] = row["reducer_ms"] + row["update_ms"]
    row["reducer_body_ms"] = row.pop("body_ms")
    row["materialize_ms"] = row["view_ms"] - row["view_body_ms"]
    row["commit_ms"] = row["reducer_ms"] - row["reducer_body_ms"] - row.pop("view_ms")
    for name in COUNTS:
        row[name] = _per_write((_known(w, name) for w in group), writes)
    if any(window.uncounted for window in group):
        row |= dict.fromkeys(("index_seeks", "index_seeks_expected", "rows_scanned"), float("nan"))
    return row


def _known(window: Observation, name: str) -> float:
    """NaN for what is unknown: a sum that it goes into is unknown as well."""
    value = getattr(window, name)
    return float("nan") if value is None else float(value)


def _per_write(sums: Iterable[float], writes: int) -> float:
    return sum(sums) / writes if writes else float("nan")


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
            "index_seeks_expected": group["index_seeks_expected"].iloc[0],
            "verdict": "ok" if len(whole) else "void",
            "reason": reasons,
        }
        for name in ("reducer_ms", "update_ms", "write_ms", *SPLIT):
            row[name] = whole[name].mean()
        for name in COUNTS:
            row[name] = (whole if len(whole) else group)[name].mean()
        rows.append(row)
    cells = pd.DataFrame(rows, columns=CELL_COLUMNS)
    return cells.astype({"index_seeks_expected": "Int64"})
