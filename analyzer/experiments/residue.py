"""Residue: what clients that have left go on costing, until the server's cleanup of views.

A view instance outlives its client. The engine's cleanup runs at launch + k x 10 minutes and drops
an instance that has had no subscriber for 10 minutes by then, so a client that leaves t minutes
after the launch is gone at 10*ceil((t+10)/10): 10 to 20 minutes later, and which is predictable.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from analyzer.bench import Bench, open_bench
from analyzer.errors import UsageError
from analyzer.experiments.lab import Lab, Record, Records, lab, load_records
from analyzer.metrics.settle import settle
from analyzer.scenarios import LOBBY
from analyzer.swarm.subscriber import Script, Subscriber
from analyzer.target import Target

PASS_MIN = 10
"""Minutes between two cleanups, and the age from which an instance without subscribers goes."""
ARM = LOBBY.arm("per_sender")
PROTOCOL = "v2.bsatn"
_SPARE_MIN = 1.0
"""How long after the predicted end it goes on watching."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`clients` subscribers over `rooms` rooms leave `leave_min` minutes after the launch.

    With `churn` they do not: that many a minute leave, each replaced by a new one, for `minutes`.
    """

    clients: int = 20
    rooms: int = 64
    leave_min: float = 3.5
    every_s: float = 15.0
    """Seconds between two writes."""
    churn: float | None = None
    minutes: float = 45.0
    expire_now: bool = False
    """Call the embedded engine's own cleanup after five writes, instead of waiting for it."""

    def __post_init__(self) -> None:
        for name in ("clients", "rooms", "every_s", "minutes", "churn"):
            value = getattr(self, name)
            if value is not None and not 0 < value < math.inf:
                raise UsageError(f"--{name.removesuffix('_s')} {value:g}: it takes more than 0")
        if not 0 <= self.leave_min < math.inf:
            raise UsageError(f"--leave-min {self.leave_min:g}: it takes minutes, 0 or more")
        if self.churn is not None and self.expire_now:
            raise UsageError("--churn and --expire-now exclude each other")


def gone_at_min(left_min: float) -> float:
    """Minutes after the launch at which the instance of a client that left at `left_min` goes."""
    return PASS_MIN * math.ceil((left_min + PASS_MIN) / PASS_MIN)


def ghosts_at(now_min: float, left_min: Sequence[float]) -> int:
    """How many clients have left by now whose instances are still there, by the engine's rule."""
    return sum(left <= now_min < gone_at_min(left) for left in left_min)


async def residue(
    settings: Settings,
    target: Target,
    *,
    out: Path | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Records:
    """Measure it in real time; `note` is told of every write. What is recorded outlives a crash.

    Raises SweepError of the fitting kind.
    """
    async with lab("residue", "lobby", asdict(settings), target, out=out, note=note) as at:
        await _measure(settings, at)
        path = at.path
    return load_records(path)


async def _measure(settings: Settings, at: Lab) -> None:
    async with at.databases.fresh("residue", at.wasm) as database:
        launched_s = time.monotonic()
        async with open_bench(
            at.http, database, ARM, settings.rooms, seed=LOBBY.seed, owner=at.owner
        ) as bench:
            clients = [await _join(bench) for _ in range(settings.clients)]
            watch = _Watch(settings, at, bench, clients, launched_s)
            try:
                await (watch.churn() if settings.churn else watch.leave())
            finally:
                await asyncio.gather(*(client.close() for client in clients))


async def _join(bench: Bench) -> Subscriber:
    return await Subscriber.open(
        bench.http.base_url, bench.database, Script(ARM.queries), number=0, protocol=PROTOCOL,
        fast=False, token=None,
    )  # fmt: skip


class _Watch:
    """The clients of one database, and the writes that show what they cost."""

    def __init__(
        self,
        settings: Settings,
        at: Lab,
        bench: Bench,
        clients: list[Subscriber],
        launched_s: float,
    ) -> None:
        self._settings = settings
        self._at = at
        self._bench = bench
        self._clients = clients
        self._launched_s = launched_s
        self._left_min: list[float] = []

    @property
    def now_min(self) -> float:
        return (time.monotonic() - self._launched_s) / 60

    async def leave(self) -> None:
        """All leave at once; then write until a minute after the cleanup that is predicted."""
        settings = self._settings
        await self._write()
        await self._until(settings.leave_min, self._write)
        await asyncio.gather(*(client.close() for client in self._clients))
        self._left(len(self._clients))
        self._clients.clear()
        end_min = gone_at_min(self._left_min[0]) + _SPARE_MIN
        if not settings.expire_now:
            self._at.note(
                f"{settings.clients} clients left {self._left_min[0]:.1f} min after the launch; "
                f"the cleanup is due at {gone_at_min(self._left_min[0]):.0f} min"
            )
            await self._until(end_min, self._write)
            return
        for _ in range(5):
            await self._write()
        await self._at.http.private("POST", self._bench.database, "views/expire")
        self._at.record({"kind": "expired", "min": self.now_min})
        await self._write()

    async def churn(self) -> None:
        """The oldest client leaves and a new one comes, at an even pace; writes go on between."""
        settings = self._settings
        assert settings.churn is not None
        swap_min, swaps = 1 / settings.churn, 0
        while self.now_min < settings.minutes:
            swaps += 1
            await self._until(min(swaps * swap_min, settings.minutes), self._write)
            await self._clients.pop(0).close()
            self._left(1)
            self._clients.append(await _join(self._bench))

    async def _until(self, end_min: float, write: Callable[[], Awaitable[None]]) -> None:
        """Write at every multiple of the interval since the launch, until `end_min` is reached."""
        every_min = self._settings.every_s / 60
        while True:
            next_min = (math.floor(self.now_min / every_min) + 1) * every_min
            await asyncio.sleep(max(0.0, (min(next_min, end_min) - self.now_min) * 60))
            if next_min > end_min:
                return
            await write()

    def _left(self, count: int) -> None:
        now_min = self.now_min
        self._left_min.extend([now_min] * count)
        self._at.record({"kind": "left", "min": now_min, "clients": count})

    async def _write(self) -> None:
        bench = self._bench
        before = await bench.scrape()
        run, _ = await bench.write(1, rate=None)
        window = await settle(
            bench.scrape, before, database=bench.database, reducer=ARM.write.reducer,
            acknowledged=run.acknowledged, failed=run.failed_count,
        )  # fmt: skip
        now_min = self.now_min
        record: Record = {
            "kind": "write",
            "min": now_min,
            "clients": len(self._clients),
            "view_calls": window.view_calls,
            "index_seeks": window.index_seeks,
            "reducer_ms": _ms(window.reducer_s),
            "update_ms": _ms(window.update_s),
            "ghosts_predicted": ghosts_at(now_min, self._left_min),
        }
        self._at.record(record)
        self._at.note(
            f"{now_min:5.1f} min: {window.view_calls} view calls, {window.index_seeks} seeks, "
            f"{len(self._clients)} clients"
        )


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3
