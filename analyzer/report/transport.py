"""What the ways to call a reducer came to, the answer first."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from analyzer.experiments.lab import Record, Records
from analyzer.experiments.transport import REDUCER, WAYS
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.numbers import cost, number, percent

_FULL_CORE = 0.9
"""From this share of a core on, the client may be what limits a way."""

Run = dict[str, Record]
"""The record of each way, by its name."""


def transport_content(found: Records) -> Content:
    """Ratios of ways within the same run, medians over runs; void runs take no part."""
    runs = whole_runs(found)
    void = [r for r in found.records if r.get("reasons")]
    texts = [
        *(_answers(runs, found.settings["depth"]) if runs else ["no run is whole"]),
        *(f"run {r['run'] + 1} is void: {'; '.join(r['reasons'])}" for r in void),
        *_circumstances(found, runs),
        f"run directory: {found.path}",
    ]
    head = Section("How fast a call travels, and what it costs", (Lines(tuple(texts)),))
    tables = (_speeds(runs), _locks(runs)) if runs else ()
    return Content("stdb-sweep: transport", (head, *tables))


def whole_runs(found: Records) -> list[Run]:
    """Runs that were finished and whose balance was conserved."""
    kept: dict[int, Run] = {
        r["run"]: {} for r in found.records if r["kind"] == "balance" and not r["reasons"]
    }
    for record in found.records:
        if record["kind"] == "way" and record["run"] in kept:
            kept[record["run"]][record["way"]] = record
    return list(kept.values())


def write_transactions(way: Record) -> float:
    """Times a call takes the write lock, by the server's own count of all transactions.

    An `Update` is the read transaction as which a write goes on.
    """
    counts = (p["transactions"] for kind, p in way["lock"].items() if _writes(kind))
    return float(sum(counts) / _calls(way))


def _writes(kind: str) -> bool:
    return not kind.startswith("Update")


def _calls(way: Record) -> int:
    return int(way["acknowledged"] + way["errors"])


def _held_ms(way: Record) -> float:
    """Lock time per call, of all its transactions."""
    return float(sum(part["held_ms"] for part in way["lock"].values()) / _calls(way))


def _answers(runs: list[Run], depth: int) -> list[str]:
    def times(way: str, base: str, of: Callable[[Record], float]) -> str:
        return over_runs([of(run[way]) / of(run[base]) for run in runs])

    def tps(way: Record) -> float:
        return float(way["tps"])

    return [
        f"over WebSocket, {times('websocket', 'http', tps)} times as many transfers a second "
        "as over HTTP",
        f"pipelined, {depth} under way a connection: {times('pipelined', 'http', tps)} times HTTP, "
        f"{times('pipelined', 'websocket', tps)} times WebSocket",
        f"a call over HTTP is {_counted(runs, 'http')} write transactions, over WebSocket "
        f"{_counted(runs, 'websocket')}; it holds the lock "
        f"{times('http', 'websocket', _held_ms)} times as long",
    ]


def over_runs(values: Sequence[float]) -> str:
    """`4.2 (4.0 to 4.5 over 3 runs)`: median, lowest and highest."""
    middle = number(statistics.median(values))
    if len(values) == 1:
        return f"{middle} (one run, no interval)"
    return f"{middle} ({number(min(values))} to {number(max(values))} over {len(values)} runs)"


def _counted(runs: list[Run], way: str) -> str:
    return " or ".join(sorted({f"{write_transactions(run[way]):g}" for run in runs}))


def _circumstances(found: Records, runs: list[Run]) -> list[str]:
    s = found.settings
    memory = "embedded" in found.manifest["engine"]["name"]
    texts = [
        f"{s['calls']:,} transfers a way and run after {s['warmup']:,} of warm-up, between "
        f"{s['accounts']:,} accounts (Zipf, alpha {s['alpha']:g}), {s['connections']} connections",
        "an answer means committed: confirmed=false, "
        + ("and the database is in memory" if memory else "and need not be on the disk yet"),
    ]
    ways = [way for run in runs for way in run.values()]
    if runs:
        texts.append(_client(runs))
        finished = sum(r["kind"] == "balance" for r in found.records)
        errors = sum(way["errors"] for way in ways)
        texts.append(
            f"{errors:,} errors; the total balance was conserved in {len(runs)} of {finished} runs"
        )
    texts += dict.fromkeys(f"error: {text}" for way in ways for text in way["error_texts"])
    return texts


def _client(runs: list[Run]) -> str:
    cores = {name: statistics.median(run[name]["client_cpu"] for run in runs) for name in WAYS}
    text = ", ".join(f"{name} {number(share)}" for name, share in cores.items())
    limited = [name for name, share in cores.items() if share >= _FULL_CORE]
    more = f"; at its limit in {', '.join(limited)}: the server may carry more" if limited else ""
    return f"cores in use by the client: {text}{more}"


def _speeds(runs: list[Run]) -> Section:
    def row(name: str) -> tuple[str, ...]:
        ways = [run[name] for run in runs]
        tps = [way["tps"] for way in ways]
        latencies = (
            _median([way[key] for way in ways]) for key in ("mean_ms", "p50_ms", "p99_ms", "max_ms")
        )
        errors = sum(way["errors"] for way in ways)
        numbers = (_median(tps), min(tps), max(tps), *latencies)
        return (name, *map(number, numbers), f"{errors:,}")

    columns = ("way", "transfers/s", "lowest", "highest", "mean", "p50", "p99", "max", "errors")
    caption = "medians over runs, errors of all; latency in ms, from the send to the answer"
    return Section("Speed", (Table(caption, columns, tuple(map(row, WAYS))),))


def _locks(runs: list[Run]) -> Section:
    def row(name: str) -> tuple[str, ...]:
        ways = [run[name] for run in runs]
        own = _median([_own_ms(way) for way in ways])
        held = _median([_held_ms(way) for way in ways])
        share = _median([_held_ms(way) * _calls(way) / (way["wall_s"] * 1e3) for way in ways])
        cpu = _median([_server_ms(way) for way in ways])
        counts = (_counted(runs, name), cost(held), cost(own))
        return (name, *counts, cost(cpu), percent(share or 0.0))

    columns = ("way", "transactions", "lock ms", "transfer", "server CPU ms", "lock in use")
    caption = "per call; lock time that is not the transfer's is the caller's connect and leave"
    return Section("What a call costs", (Table(caption, columns, tuple(map(row, WAYS))),))


def _server_ms(way: Record) -> float | None:
    """CPU time of the server's process per call; unknown for a server that is not ours."""
    cpu_s = way["server_cpu_s"]
    return None if cpu_s is None else float(cpu_s * 1e3 / _calls(way))


def _own_ms(way: Record) -> float:
    parts = (way["lock"].get(f"{kind} {REDUCER}") for kind in ("Reducer", "Update"))
    return float(sum(part["held_ms"] for part in parts if part) / _calls(way))


def _median(values: Sequence[float | None]) -> float | None:
    """None where one is unknown, as the latency of calls that all failed."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if len(known) == len(values) else None
