"""Tables: N poker tables opened in one transaction, and the hand loops that they then play.

The opening is counted exactly: rows and index seeks are whole multiples of N or the record is void.
The loops are a scheduled reducer, called at every step of a table's own clock.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analyzer.errors import UsageError
from analyzer.experiments.lab import Lab, Record, Records, lab, load_records
from analyzer.metrics.parse import parse
from analyzer.metrics.settle import settle
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window
from analyzer.stdb import bsatn
from analyzer.swarm.writer import Writer
from analyzer.target import Target
from analyzer.target.cpu import cpu_seconds
from analyzer.units import text_ms, text_seconds

ROWS, SEEKS = 38, 31
"""What each table adds to the opening: rows inserted and index seeks."""
MOST_TABLES = 10_000
_SLOW_CLOCK_S = 3600.0
"""While an opening is counted no table may play."""
_LEAD_IN_CLOCKS = 1.2
"""After so long every table has made its first step, at a random time of its first hand."""
_LEAST_CLOCK_S = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Each number of `tables` is opened in a fresh database and watched for `watch_s` seconds.

    A hand that goes to the showdown takes `clock_s` seconds, in five steps.
    """

    tables: tuple[int, ...] = (1, 10, 100, 1000)
    clock_s: float = 20.0
    watch_s: float = 60.0
    repeats: int = 3

    def __post_init__(self) -> None:
        if max(self.tables) > MOST_TABLES:
            raise UsageError(f"--tables {max(self.tables)}: it takes up to {MOST_TABLES}")
        if self.clock_s < _LEAST_CLOCK_S:
            raise UsageError(f"--clock {text_ms(self.clock_s * 1e3)}: it takes 5ms or more")

    @property
    def seconds(self) -> float:
        """How long the clocks alone take."""
        each_s = _LEAD_IN_CLOCKS * self.clock_s + self.watch_s
        return each_s * len(self.tables) * self.repeats


async def tables(
    settings: Settings,
    target: Target,
    *,
    out: Path | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Records:
    """Measure it; `note` is told of every record. What is recorded outlives a crash.

    Raises SweepError of the fitting kind.
    """
    async with lab("tables", "poker", asdict(settings), target, out=out, note=note) as at:
        note(f"the loops are watched in real time: about {text_seconds(settings.seconds)}")
        for repeat in range(settings.repeats):
            for count in settings.tables:
                await _measure(settings, at, count, repeat)
        path = at.path
    return load_records(path)


async def _measure(settings: Settings, at: Lab, count: int, repeat: int) -> None:
    async with (
        at.databases.fresh("tables", at.wasm) as database,
        Writer(at.http.base_url, database) as writer,
    ):
        hall = _Hall(at, database, writer)
        which = {"tables": count, "repeat": repeat}
        opened = await hall.open(count)
        at.record({"kind": "opening", **which, **opened})
        took = "" if opened["reducer_ms"] is None else f" in {text_ms(opened['reducer_ms'])}"
        at.note(f"{count} tables opened{took}{_void(opened)}")
        if opened["reasons"]:
            return
        looped = await hall.watch(settings.clock_s, settings.watch_s)
        at.record({"kind": "loops", **which, **looped})
        dealt = "" if looped["hands"] is None else f", {looped['hands']} hands dealt"
        at.note(f"{count} tables watched{dealt}{_void(looped)}")


def _void(record: Record) -> str:
    return "".join(f"; void: {reason}" for reason in record["reasons"])


class _Hall:
    """The tables of one database."""

    def __init__(self, at: Lab, database: str, writer: Writer) -> None:
        self._at = at
        self._database = database
        self._writer = writer

    async def open(self, count: int) -> dict[str, Any]:
        await self._call("audit")  # the first call warms the module up
        window, reasons = await self._call("open_tables", count, round(_SLOW_CLOCK_S * 1e3))
        found: dict[str, Any] = {
            "rows": window.rows_inserted(),
            "index_seeks": window.index_seeks,
            "bytes": window.bytes_written,
            "reducer_ms": _ms(window.reducer_s),
            "update_ms": _ms(window.update_s),
        }
        for key, name, each in (("rows", "rows inserted", ROWS), ("index_seeks", "seeks", SEEKS)):
            if found[key] is not None and found[key] != each * count and not reasons:
                reasons = [f"{found[key]} {name}, {each * count} expected"]
        return {**found, "reasons": reasons}

    async def watch(self, clock_s: float, watch_s: float) -> dict[str, Any]:
        _, unset = await self._call("set_clock", round(clock_s * 1e3))
        await asyncio.sleep(_LEAD_IN_CLOCKS * clock_s)
        pid = self._at.server.pid
        before, cpu_s, began_s = await self._scrape(), cpu_seconds(pid), time.monotonic()
        await asyncio.sleep(watch_s)
        ended_cpu_s, ended_s = cpu_seconds(pid), time.monotonic()
        window = Window(before, await self._scrape(), self._database, "play")
        _, unsound = await self._call("audit")
        spent_s = None if cpu_s is None or ended_cpu_s is None else ended_cpu_s - cpu_s
        reasons = [*unset, *unsound]
        if window.rolled_back:
            reasons.append(f"{window.rolled_back} calls of play were rolled back")
        if window.resets:
            reasons.append(f"counter {window.resets[0]} fell: the server restarted")
        return {
            "seconds": ended_s - began_s,
            # A dealt hand inserts one row into this table, and nothing else does.
            "hands": window.rows_inserted("deck"),
            "steps": window.reducer_count,
            "reducer_ms": _ms(window.reducer_s),
            "update_ms": _ms(window.update_s),
            "cpu_s": spent_s,
            "reasons": reasons,
        }

    async def _call(self, reducer: str, *args: int) -> tuple[Window, list[str]]:
        """Call a reducer once; returns what it cost and why it was rolled back, if it was."""
        before = await self._scrape()
        encoded = b"".join(bsatn.Writer().u64(value).getvalue() for value in args)
        run = await self._writer.write(reducer, lambda _: encoded, 1)
        window = await settle(
            self._scrape, before, database=self._database, reducer=reducer,
            acknowledged=run.acknowledged, failed=run.failed_count,
        )  # fmt: skip
        return window, [f"{reducer} was rolled back: {error}" for error in run.failed]

    async def _scrape(self) -> Snapshot:
        http = self._at.http
        url = f"{http.base_url}/v1/metrics"
        return parse(await http.metrics(), url=url, database=self._database)


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3
