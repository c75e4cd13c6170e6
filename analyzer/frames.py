"""Tidy frames from observations: one row per cell and repeat, and one per cell (`cells.csv`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
        "index_seeks_expected": law(first.clients, first.rows) if law else math.nan,
        "verdict": "void" if reasons else "ok",
        "reason": "; ".join(reasons),
    }
    for name in ("reducer_ms", "update_ms", "body_ms", "view_ms", "view_body_ms"):
        row[name] = _per_write([(getattr(w, name), w.writes) for w in group], writes)
    row["write_ms"] = row["reducer_ms"] + row["update_ms"]
    row["reducer_body_ms"] = row.pop("body_ms")
    row["materialize_ms"] = row["view_ms"] - row["view_body_ms"]
    row["commit_ms"] = row["reducer_ms"] - row["reducer_body_ms"] - row.pop("view_ms")
    for name in COUNTS:
        row[name] = _per_write([(getattr(w, name), 1) for w in group], writes)
    if any(window.uncounted for window in group):
        row |= dict.fromkeys(("index_seeks", "index_seeks_expected", "rows_scanned"), math.nan)
    return row


def _per_write(windows: Sequence[tuple[float | None, int]], writes: int) -> float:
    """The sum of value times weight over the writes; NaN without writes, or with one unknown."""
    total = 0.0
    for value, weight in windows:
        if value is None:
            return math.nan
        total += value * weight
    return total / writes if writes else math.nan


def cells_frame(repeats: pd.DataFrame) -> pd.DataFrame:
    """The `cells.csv` table: means over repeats, with the lowest and highest repeat.

    Times come from repeats that are whole; with none of them they are unknown.
    """
    groups: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for repeat in repeats.to_dict("records"):
        groups.setdefault(tuple(repeat[name] for name in KEY), []).append(
            {str(name): value for name, value in repeat.items()}
        )
    rows = []
    for key, group in groups.items():
        whole = [repeat for repeat in group if repeat["verdict"] == "ok"]
        costs = [r["write_ms"] for r in whole if r["write_ms"] == r["write_ms"]]
        row: dict[str, object] = dict(zip(KEY, key, strict=True))
        row |= {
            "repeats": len(whole),
            "windows": sum(repeat["windows"] for repeat in whole),
            "writes": sum(repeat["writes"] for repeat in whole),
            "write_ms_low": min(costs, default=float("nan")),
            "write_ms_high": max(costs, default=float("nan")),
            "index_seeks_expected": group[0]["index_seeks_expected"],
            "verdict": "ok" if whole else "void",
            "reason": "; ".join(dict.fromkeys(r["reason"] for r in group if r["verdict"] != "ok")),
        }
        for name in ("reducer_ms", "update_ms", "write_ms", *SPLIT):
            row[name] = _mean(whole, name)
        for name in COUNTS:
            row[name] = _mean(whole or group, name)
        rows.append(row)
    cells = pd.DataFrame(rows, columns=CELL_COLUMNS)
    return cells.astype({"index_seeks_expected": "Int64"})


def _mean(repeats: Sequence[dict[str, Any]], name: str) -> float:
    """Of the repeats in which it is known."""
    known = [repeat[name] for repeat in repeats if repeat[name] == repeat[name]]
    return sum(known) / len(known) if known else float("nan")
