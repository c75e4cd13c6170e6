"""What was measured: costs by clients and rows, cells left out, drift."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from analyzer.model.axis import RowAxis
from analyzer.model.cells import usable
from analyzer.records import SPLIT
from analyzer.report.layout import Lines, Section, Table
from analyzer.report.numbers import cost, ms, percent
from analyzer.units import counted

if TYPE_CHECKING:
    import pandas as pd

DRIFT = 0.2
"""A change of the first cell, up or down, above which the times of a run want a warning."""


def cost_table(arm: pd.DataFrame, axis: RowAxis) -> Table:
    """Mean write cost of each cell with its reducer and update parts."""
    parts = ["write_ms", "reducer_ms", "update_ms"]
    means = usable(arm, "write_ms").groupby(["clients", "rows"])[parts].mean().reset_index()
    columns = (means[name] for name in ("clients", "rows", *parts))
    cells = {
        (int(s), int(r)): f"{cost(write)} ({cost(reducer)} + {cost(update)})"
        for s, r, write, reducer, update in zip(*columns, strict=True)
    }
    clients = sorted({s for s, _ in cells})
    rows = sorted({r for _, r in cells})
    return Table(
        "write cost in ms (reducer + update)",
        ("clients", *(counted(r, axis.noun) for r in rows)),
        tuple((f"{s:,}", *(cells.get((s, r), "-") for r in rows)) for s in clients),
    )


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


def void_section(
    frame: pd.DataFrame, axis_symbol: str, control: Mapping[str, Any] | None
) -> Section | None:
    """Repeats that take no part, each with its reason, and the drift control if it is void."""
    void = frame[frame["verdict"] != "ok"].fillna({"reason": ""})
    texts = [
        f"{arm} S={s} {axis_symbol}={r}, {counted(len(group), 'repeat')}: "
        f"{reason or 'no reason given'}"
        for (arm, s, r, reason), group in void.groupby(
            ["arm", "clients", "rows", "reason"], sort=False
        )
    ]
    title = f"Void: {len(void)} of {counted(len(frame), 'repeat')} have no part in what is above"
    if control and control.get("reason"):
        texts.append(f"drift control, {_cell(control, axis_symbol)}: {control['reason']}")
        title = title if len(void) else "Void: the drift control"
    return Section(title, (Lines(tuple(texts)),)) if texts else None


def drift_section(control: Mapping[str, Any] | None, axis_symbol: str) -> Section | None:
    """Report the first cell measured once more at the end.

    `control` has arm, clients, rows, first_ms and last_ms, and a `reason` when it is void.
    """
    if control is None or control.get("reason"):
        return None
    first, last = control["first_ms"], control["last_ms"]
    text = (
        f"{_cell(control, axis_symbol)} measured {ms(first)} at the start and {ms(last)} at the end"
    )
    if not first or last is None:
        return Section("Drift", (Lines((text,)),))
    change = last / first - 1
    texts = [f"{text} ({percent(change)} change)"]
    if abs(change) > DRIFT:
        texts.append(
            "the machine changed that much meanwhile: trust the counts and the ratios, and times "
            "only once a quiet machine repeats them"
        )
    return Section("Drift", (Lines(tuple(texts)),))


def _cell(control: Mapping[str, Any], axis_symbol: str) -> str:
    return f"{control['arm']} S={control['clients']} {axis_symbol}={control['rows']}"
