"""What was measured: costs by clients and rows, cells left out, drift."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analyzer.model.axis import RowAxis
from analyzer.model.cells import usable
from analyzer.records import SPLIT
from analyzer.report.layout import Lines, Section, Table
from analyzer.report.numbers import cost, ms, percent

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS_AT_ONCE = 3
"""Row counts side by side: `1,349 (1,300 + 49.1)` three times fits 80 columns."""


def cost_tables(arm: pd.DataFrame, axis: RowAxis) -> list[Table]:
    """Mean write cost of each cell with its reducer and update parts, a few row counts a table."""
    parts = ["write_ms", "reducer_ms", "update_ms"]
    means = usable(arm, "write_ms").groupby(["clients", "rows"])[parts].mean().reset_index()
    columns = (means[name] for name in ("clients", "rows", *parts))
    cells = {
        (int(s), int(r)): f"{cost(write)} ({cost(reducer)} + {cost(update)})"
        for s, r, write, reducer, update in zip(*columns, strict=True)
    }
    clients = sorted({s for s, _ in cells})
    rows = sorted({r for _, r in cells})
    groups = [rows[at : at + _COLUMNS_AT_ONCE] for at in range(0, len(rows), _COLUMNS_AT_ONCE)]
    return [
        Table(
            "write cost in ms (reducer + update)" if group is groups[0] else "",
            ("clients", *(f"{r:,} {axis.noun}s" for r in group)),
            tuple((f"{s:,}", *(cells.get((s, r), "-") for r in group)) for s in clients),
        )
        for group in groups
    ]


def split_table(arm: pd.DataFrame, axis: RowAxis) -> Table | None:
    """Where the write cost of each cell with clients goes; None where the server does not tell."""
    parts = [*SPLIT, "update_ms", "write_ms"]
    known = usable(arm.reindex(columns=[*arm.columns.union(SPLIT)]), SPLIT[-1])
    means = known[known["clients"] > 0].groupby(["clients", "rows"])[parts].mean().reset_index()
    if means.empty:
        return None
    columns = (means[name] for name in ("clients", "rows", *parts))
    return Table(
        "where the write cost goes, in ms: the reducer's own body, view bodies, materializing "
        "their results (queries run here), read-set merge and commit (what remains), updates",
        ("clients", f"{axis.noun}s", "body", "views", "results", "commit", "updates", "whole"),
        tuple(
            (f"{int(s):,}", f"{int(r):,}", *map(cost, times))
            for s, r, *times in zip(*columns, strict=True)
        ),
        labels=0,
    )  # fmt: skip


def void_section(frame: pd.DataFrame, axis_symbol: str) -> Section | None:
    """Cells that take no part, each with its reason."""
    void = frame[frame["verdict"] != "ok"].fillna({"reason": ""})
    if void.empty:
        return None
    texts = [
        f"{arm} S={s} {axis_symbol}={r}, {len(group)} repeat(s): {reason or 'no reason given'}"
        for (arm, s, r, reason), group in void.groupby(
            ["arm", "clients", "rows", "reason"], sort=False
        )
    ]
    title = f"Void: {len(void)} of {len(frame)} measurements take no part in anything above"
    return Section(title, (Lines(tuple(texts)),))


def drift_section(control: Mapping[str, Any] | None, axis_symbol: str) -> Section | None:
    """Report the first cell measured once more at the end.

    `control` has arm, clients, rows, first_ms and last_ms.
    """
    if control is None:
        return None
    first, last = control["first_ms"], control["last_ms"]
    change = "" if not first or last is None else f" ({percent(last / first - 1)} change)"
    text = (
        f"{control['arm']} S={control['clients']} {axis_symbol}={control['rows']} measured "
        f"{ms(first)} at the start and {ms(last)} at the end{change}"
    )
    return Section("Drift", (Lines((text,)),))
