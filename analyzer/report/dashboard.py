"""What dashboards that subscribe and dashboards that read cost, the answer first."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from analyzer.experiments.dashboard import WRITE
from analyzer.experiments.lab import Record, Records
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.numbers import cost, ms, number, percent

_OWN = (f"Reducer {WRITE}", f"Update {WRITE}")
_MINUTE_MS = 60_000


@dataclass(frozen=True, slots=True)
class Cell:
    """The rounds of one way and number of dashboards that are not void."""

    way: str
    dashboards: int
    rounds: tuple[Record, ...]
    minute: float
    """Rounds in a minute."""

    @property
    def name(self) -> str:
        return f"{self.dashboards:,} {self.way}" if self.dashboards else "none"

    def write_ms(self) -> list[float]:
        """Write cost in each round."""
        return [float(r["reducer_ms"] + r["update_ms"]) for r in self.rounds]

    def lock_ms(self, *, own: bool) -> list[float]:
        """Lock time a minute in each round, of the writes or of everything else."""
        return [
            sum(held for kind, held in r["held_ms"].items() if (kind in _OWN) == own) * self.minute
            for r in self.rounds
        ]

    def all_lock_ms(self) -> list[float]:
        return [sum(r["held_ms"].values()) * self.minute for r in self.rounds]

    def per_write(self, count: str) -> float:
        """A count, the same in all rounds, per write."""
        total = self.rounds[0][count]
        return float((sum(total) if isinstance(total, list) else total) / self.rounds[0]["writes"])

    def transactions_a_minute(self) -> float:
        """Of everything but the writes, as the server counts them."""
        counts = self.rounds[0]["transactions"].items()
        return float(sum(count for kind, count in counts if kind not in _OWN) * self.minute)


def dashboard_content(found: Records) -> Content:
    """Medians over rounds; void rounds take no part."""
    settings = found.settings
    cells = whole_cells(found)
    void = [r for r in found.records if r["reasons"]]
    texts = [
        *_answers(cells, settings["rate"]),
        *(f"void: {r['dashboards']} {r['way']}, round {r['round'] + 1}: {'; '.join(r['reasons'])}"
          for r in void),
        f"{settings['rooms']:,} rooms, {settings['rate']:g} writes a second, a look every "
        f"{settings['every_s']:g} s, {settings['rounds']} rounds; medians (lowest to highest)",
        f"run directory: {found.path}",
    ]  # fmt: skip
    head = Section("What dashboards cost the writers", (Lines(tuple(texts)),))
    tables = (_writes(cells), _locks(cells)) if cells else ()
    return Content("stdb-sweep: dashboard", (head, *tables))


def whole_cells(found: Records) -> list[Cell]:
    """Those that subscribe before those that read, few dashboards before many."""
    rounds: dict[tuple[str, int], list[Record]] = {}
    for record in found.records:
        if record["kind"] == "round" and not record["reasons"]:
            rounds.setdefault((record["way"], record["dashboards"]), []).append(record)
    minute = 60 / found.settings["every_s"]
    ways = ("none", "subscribe", "read")
    keys = sorted(rounds, key=lambda key: (ways.index(key[0]), key[1]))
    return [Cell(*key, tuple(rounds[key]), minute) for key in keys]


def _answers(cells: list[Cell], rate: float) -> list[str]:
    """About the largest number of dashboards that was measured in both ways."""
    by_key = {(cell.way, cell.dashboards): cell for cell in cells}
    alone = by_key.get(("none", 0))
    both = [d for way, d in by_key if way == "subscribe" and ("read", d) in by_key]
    if alone is None or not both:
        return ["nothing to compare: it takes whole rounds without dashboards and with both kinds"]
    subscribe, read = by_key["subscribe", max(both)], by_key["read", max(both)]
    more = {
        name: f"{subscribe.per_write(count) - alone.per_write(count):,.0f} {name}"
        for name, count in _COUNTS.items()
    }
    look_ms = _median(read.lock_ms(own=False)) / read.dashboards / read.minute
    count = max(both)
    texts = [
        f"{count:,} dashboards that subscribe to everything make a write "
        f"{_times(subscribe.write_ms(), alone.write_ms())} times as costly: "
        f"{ms(_median(subscribe.write_ms()))} instead of {ms(_median(alone.write_ms()))}, and "
        f"{', '.join(more.values())} more",
        f"{count:,} that read now and then: {_times(read.write_ms(), alone.write_ms())} times; "
        "no seek, view call or delivery more",
        f"lock in a minute at {rate:g} writes/s: {ms(_median(alone.all_lock_ms()))} without "
        f"dashboards, {ms(_median(subscribe.all_lock_ms()))} when {count:,} subscribe, "
        f"{ms(_median(read.all_lock_ms()))} when {count:,} read: subscribing takes "
        f"{_times(subscribe.all_lock_ms(), read.all_lock_ms())} times the lock of reading",
        f"a look is 3 write transactions and {ms(look_ms)} of the lock, however much is written; "
        "the scrape of /v1/metrics is none",
    ]
    added_ms = _median(subscribe.write_ms()) - _median(alone.write_ms())
    if added_ms > 0:
        even = _median(read.lock_ms(own=False)) / added_ms / 60
        texts.append(
            f"below {number(even)} writes a second, looking this often would take more of the lock"
        )
    return texts


_COUNTS = {"seeks": "index_seeks", "view calls": "view_calls", "deliveries": "deliveries"}


def _times(values: Sequence[float], base: Sequence[float]) -> str:
    """`31 (28 to 35)`: of the medians, and of the rounds that favour it least and most."""
    middle = number(_median(values) / _median(base))
    return f"{middle} ({number(min(values) / max(base))} to {number(max(values) / min(base))})"


def _writes(cells: list[Cell]) -> Section:
    alone = next((cell for cell in cells if not cell.dashboards), None)

    def row(cell: Cell) -> tuple[str, ...]:
        median_ms = _median(cell.write_ms())
        parts = (_median([r[name] for r in cell.rounds]) for name in ("reducer_ms", "update_ms"))
        added = cost(median_ms - _median(alone.write_ms())) if alone and cell.dashboards else "-"
        counts = (f"{cell.per_write(count):,.0f}" for count in _COUNTS.values())
        return (cell.name, cost(median_ms), *map(cost, parts), added, *counts)

    columns = ("dashboards", "cost", "reducer", "update", "added", *_COUNTS)
    caption = "ms per write, medians over rounds; exact counts per write"
    return Section("A write", (Table(caption, columns, tuple(map(row, cells))),))


def _locks(cells: list[Cell]) -> Section:
    def row(cell: Cell) -> tuple[str, ...]:
        own, others = _median(cell.lock_ms(own=True)), _median(cell.lock_ms(own=False))
        together = _median(cell.all_lock_ms())
        transactions = f"{cell.transactions_a_minute():,.0f}"
        shown = map(number, (own, others, together))
        return (cell.name, *shown, percent(together / _MINUTE_MS), transactions)

    columns = ("dashboards", "writes ms", "looks ms", "both ms", "of the lock", "transactions")
    caption = "in a minute; transactions of the looks, each of which the server counts as 4"
    return Section("The lock", (Table(caption, columns, tuple(map(row, cells))),))


def _median(values: Sequence[float]) -> float:
    return statistics.median(values)
