"""What the residue of clients that left came to, beside the engine's rule."""

from __future__ import annotations

import math

from analyzer.experiments.lab import Record, Records
from analyzer.experiments.residue import gone_at_min
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.numbers import ms, number

_SHOWN = 12
"""Rows of the timeline at most; records.jsonl has every write."""


def residue_content(found: Records) -> Content:
    """The answer first, then the timeline."""
    writes = [record for record in found.records if record["kind"] == "write"]
    left = [record for record in found.records if record["kind"] == "left"]
    texts = [
        f"{found.settings['clients']} clients over {found.settings['rooms']} rooms, "
        f"{len(writes)} writes",
        *(_churn_texts(writes) if found.settings["churn"] else _lag_texts(found, writes, left)),
        f"run directory: {found.path}",
    ]
    return Content(
        "stdb-sweep: residue",
        (
            Section("What clients that left go on costing", (Lines(tuple(texts)),)),
            _timeline(writes),
        ),
    )


def lag_min(found: Records) -> tuple[float, float, float] | None:
    """Predicted lag, and the last write with ghosts and the first without after the clients left.

    In minutes since they left; None while the cleanup has not been seen.
    """
    left = [record for record in found.records if record["kind"] == "left"]
    if not left:
        return None
    at = float(left[0]["min"])
    after = [r for r in found.records if r["kind"] == "write" and r["min"] > at]
    clean = next((r for r in after if not r["view_calls"]), None)
    ghosts = [r for r in after if r["view_calls"] and (clean is None or r["min"] < clean["min"])]
    if clean is None or not ghosts:
        return None
    return gone_at_min(at) - at, ghosts[-1]["min"] - at, clean["min"] - at


def _lag_texts(found: Records, writes: list[Record], left: list[Record]) -> list[str]:
    if not left:
        return ["the clients have not left yet"]
    at = float(left[0]["min"])
    with_clients = [r for r in writes if r["min"] <= at]
    ghosts = [r for r in writes if r["min"] > at and r["view_calls"]]
    clean = [r for r in writes if r["min"] > at and not r["view_calls"]]
    texts = [f"they left {at:.2f} min after the database's launch"]
    if with_clients:
        texts.append(f"a write with them: {_cost(with_clients)}")
    if ghosts:
        texts.append(f"a write after they left: {_cost(ghosts)}")
    if clean:
        texts.append(f"a write after the cleanup: {_cost(clean)}")
    if found.settings["expire_now"]:
        texts.append("the engine's cleanup was called, not waited for (--expire-now)")
        return texts
    lag = lag_min(found)
    due = gone_at_min(at)
    texts.append(f"predicted lag: {due - at:.2f} min (the cleanup at {due:.0f} min)")
    if lag is None:
        texts.append("measured lag: the cleanup has not been seen")
    else:
        texts.append(f"measured lag: between {lag[1]:.2f} and {lag[2]:.2f} min")
    return texts


def _churn_texts(writes: list[Record]) -> list[str]:
    agree = sum(r["view_calls"] - r["clients"] == r["ghosts_predicted"] for r in writes)
    most = max((r["view_calls"] - r["clients"] for r in writes), default=0)
    late = [r["view_calls"] - r["clients"] for r in writes if r["min"] > 20]
    texts = [
        f"ghosts as the engine's rule predicts in {agree} of {len(writes)} writes",
        f"most ghosts at one time: {most}",
    ]
    if late:
        texts.append(
            f"from 20 min on: {min(late)} to {max(late)} ghosts, {number(sum(late) / len(late))} "
            "in the mean"
        )
    return texts


def _cost(writes: list[Record]) -> str:
    seeks = sorted({r["index_seeks"] for r in writes})
    shown = f"{seeks[0]:,}" if len(seeks) == 1 else f"{seeks[0]:,} to {seeks[-1]:,}"
    times = [r["reducer_ms"] + r["update_ms"] for r in writes if r["reducer_ms"] is not None]
    return f"{shown} index seeks, {ms(sum(times) / len(times) if times else None)}"


def _timeline(writes: list[Record]) -> Section:
    """Every write at which the number of view calls changed, and the first and last."""
    kept = [
        r
        for at, r in enumerate(writes)
        if at in (0, len(writes) - 1)
        or r["view_calls"] != writes[at - 1]["view_calls"]
        or r["view_calls"] != writes[at + 1]["view_calls"]
    ]
    shown = kept if len(kept) <= _SHOWN else kept[:: math.ceil(len(kept) / _SHOWN)]
    rows = tuple(
        (
            f"{r['min']:.2f}",
            str(r["clients"]),
            f"{r['view_calls'] - r['clients']:,}",
            str(r["ghosts_predicted"]),
            f"{r['index_seeks']:,}",
            number((r["reducer_ms"] or 0) + (r["update_ms"] or 0)),
        )
        for r in shown
    )
    columns = ("min since launch", "clients", "ghosts", "predicted", "index seeks", "write ms")
    return Section("Timeline", (Table("", columns, rows, labels=0),))
