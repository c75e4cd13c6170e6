"""Transport: the same transfers, called over HTTP, over WebSocket, and over WebSocket pipelined.

All ways share the client process, the identities, the warm-up and the transfers of a run. What
differs is how a call travels and how many are under way.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from analyzer.errors import UsageError
from analyzer.experiments.lab import Lab, Record, Records, lab, load_records
from analyzer.experiments.zipf import draw_transfers
from analyzer.folder import writing
from analyzer.metrics.lock import lock_taken
from analyzer.metrics.settle import settle
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window
from analyzer.stdb.connection import fast_available
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.generator import GeneratorGuard
from analyzer.swarm.poster import Poster
from analyzer.swarm.tally import WriteRun
from analyzer.swarm.writer import Writer
from analyzer.target import Target
from analyzer.target.cpu import cpu_seconds

WAYS = ("http", "websocket", "pipelined")
REDUCER = "transfer"
OPENING_BALANCE = 1_000_000
"""What the module gives every account."""
AMOUNT = 1
_CHUNK = 10_000
"""Accounts made by one call: a transaction of modest size."""
_SETTLE_S = 30.0
_TEXTS = 5
_BSATN = struct.Struct("<IIQ")
"""Payer and payee as U32, amount as U64."""

Transfers = NDArray[np.int64]
Caller = Poster | Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """`calls` transfers a way and run, after `warmup` more; `depth` under way a connection."""

    accounts: int = 100_000
    alpha: float = 1.5
    calls: int = 20_000
    warmup: int = 2_000
    connections: int = 16
    depth: int = 16
    runs: int = 3
    seed: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 5:
            raise UsageError(f"--alpha {self.alpha:g}: it takes 0 (uniform) to 5")
        for name in ("calls", "warmup"):
            if (count := getattr(self, name)) < self.connections:
                raise UsageError(f"--{name} {count} for --connections {self.connections}: too few")


def order(seed: int, run: int) -> tuple[str, ...]:
    """The ways of one run: shuffled by the seed, and one further round in every run."""
    shuffled = [WAYS[at] for at in np.random.default_rng(seed).permutation(len(WAYS))]
    first = run % len(WAYS)
    return tuple(shuffled[first:] + shuffled[:first])


async def transport(
    settings: Settings,
    target: Target,
    *,
    out: Path | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Records:
    """Measure every way in every run; `note` is told of each. Records outlive a crash.

    Raises SweepError of the fitting kind.
    """
    # An answer means committed. Only subscribers could be made to wait for the disk as well.
    named = {**asdict(settings), "confirmed": False}
    async with lab("transport", "transfer", named, target, out=out, note=note) as at:
        with writing(at.path):
            (at.path / "samples").mkdir()
        for run in range(settings.runs):
            await _run(settings, run, at)
        path = at.path
    return load_records(path)


async def _run(settings: Settings, run: int, at: Lab) -> None:
    """One fresh database, every way in it, and the balance at the end."""
    rng = np.random.default_rng([settings.seed, run])
    count = settings.warmup + settings.calls
    transfers = draw_transfers(count, settings.accounts, settings.alpha, rng)
    async with at.databases.fresh("transport", at.wasm) as database:
        await seed_accounts(at.http, database, settings.accounts)
        tokens = [(await at.http.new_identity()).token for _ in range(settings.connections)]
        # Open through the whole run: to connect and to leave are transactions of their own.
        async with contextlib.AsyncExitStack() as opened:
            writers = [
                await opened.enter_async_context(
                    Writer(at.server.url, database, token=token, fast=fast_available())
                )
                for token in tokens
            ]
            posters = [
                await opened.enter_async_context(Poster(at.server.url, database, token=token))
                for token in tokens
            ]
            for position, way in enumerate(order(settings.seed, run)):
                callers = posters if way == "http" else writers
                record = await _measure(settings, way, run, at, database, callers, transfers)
                at.record({"kind": "way", "run": run, "way": way, "position": position, **record})
                at.note(
                    f"run {run + 1} of {settings.runs}, {way}: {record['tps']:,.0f} transfers/s, "
                    f"{record['errors']} errors"
                )
        balance = await check_balance(at.http, database, settings.accounts)
        at.record({"kind": "balance", "run": run, **balance})


async def seed_accounts(http: StdbHttp, database: str, accounts: int) -> None:
    """Make the accounts, a chunk at a time. Raises HttpError."""
    for upto in [*range(_CHUNK, accounts, _CHUNK), accounts]:
        await http.call(database, "seed_accounts", [upto])


async def check_balance(http: StdbHttp, database: str, accounts: int) -> Record:
    """Total over all accounts, read by SQL; `reasons` say why it is not what was paid in.

    Raises HttpError.
    """
    rows = (await http.sql(database, "SELECT balance FROM account"))[0]["rows"]
    total, expected = sum(row[0] for row in rows), accounts * OPENING_BALANCE
    reasons = []
    if (len(rows), total) != (accounts, expected):
        reasons.append(
            f"the balance is not conserved: {total} in {len(rows)} accounts, "
            f"{expected} in {accounts} were paid in"
        )
    return {"accounts": len(rows), "total": total, "expected": expected, "reasons": reasons}


async def _measure(
    settings: Settings,
    way: str,
    run: int,
    at: Lab,
    database: str,
    callers: Sequence[Caller],
    transfers: Transfers,
) -> Record:
    """Warm up, then call between two scrapes, over the same connections."""
    depth = settings.depth if way == "pipelined" else 1
    before = await at.scrape(database)
    warm = await call_all(callers, transfers[: settings.warmup], depth)
    before = (await _settled(at, database, before, warm)).after
    pid = at.server.pid
    with GeneratorGuard() as guard:
        began_s = cpu_seconds(pid)
        done = await call_all(callers, transfers[settings.warmup :], depth)
        ended_s = cpu_seconds(pid)
    window = await _settled(at, database, before, done)
    taken = lock_taken(before, window.after, database)
    return {
        "acknowledged": done.acknowledged,
        "errors": done.failed_count,
        "error_texts": list(done.failed[:_TEXTS]),
        "wall_s": done.wall_s,
        "tps": done.acknowledged / done.wall_s,
        **_latencies(done.latencies_ms),
        "client_cpu": guard.cpu_share,
        "client_lag_p99_ms": guard.p99_lag_ms,
        "server_cpu_s": None if began_s is None or ended_s is None else ended_s - began_s,
        "index_seeks": window.index_seeks,
        "lock": {kind: asdict(part) for kind, part in taken.items()},
        "samples": _keep_samples(at.path, f"{run}-{way}", done.latencies_ms),
    }


async def _settled(at: Lab, database: str, before: Snapshot, done: WriteRun) -> Window:
    return await settle(
        partial(at.scrape, database),
        before,
        database=database,
        reducer=REDUCER,
        acknowledged=done.acknowledged,
        failed=done.failed_count,
        timeout_s=_SETTLE_S,
    )


async def call_all(
    callers: Sequence[Caller], transfers: Transfers, depth: int, *, amount: int = AMOUNT
) -> WriteRun:
    """Make every transfer, dealt out to the callers in turn, all of which begin at once.

    Raises MeasurementError when a connection ends or an answer is missing.
    """
    hands = [
        _encoded(caller, transfers[first :: len(callers)], amount)
        for first, caller in enumerate(callers)
    ]
    began_s = time.perf_counter()
    runs = await asyncio.gather(
        *(_call(caller, hand, depth) for caller, hand in zip(callers, hands, strict=True))
    )
    wall_s = time.perf_counter() - began_s
    sent = sum(run.sent for run in runs)
    return WriteRun(
        sent=sent,
        acknowledged=sum(run.acknowledged for run in runs),
        failed=tuple(dict.fromkeys(text for run in runs for text in run.failed)),
        failed_count=sum(run.failed_count for run in runs),
        latencies_ms=np.concatenate([run.latencies_ms for run in runs]),
        late=0,
        achieved=sent / wall_s,
        wall_s=wall_s,
        open_loop=False,
    )


def _encoded(caller: Caller, transfers: Transfers, amount: int) -> list[bytes]:
    """Arguments as the caller sends them, made before the clock runs."""
    if isinstance(caller, Poster):
        return [f"[{payer},{payee},{amount}]".encode() for payer, payee in transfers.tolist()]
    return [_BSATN.pack(payer, payee, amount) for payer, payee in transfers.tolist()]


async def _call(caller: Caller, hand: list[bytes], depth: int) -> WriteRun:
    if isinstance(caller, Poster):
        return await caller.write(REDUCER, hand.__getitem__, len(hand))
    return await caller.write(REDUCER, hand.__getitem__, len(hand), depth=depth)


def _latencies(latencies_ms: NDArray[np.float64]) -> dict[str, float | None]:
    names = ("mean_ms", "p50_ms", "p99_ms", "max_ms")
    if not len(latencies_ms):
        return dict.fromkeys(names)
    values = [np.mean(latencies_ms), *np.percentile(latencies_ms, [50, 99, 100])]
    return dict(zip(names, map(float, values), strict=True))


def _keep_samples(path: Path, name: str, latencies_ms: NDArray[np.float64]) -> str:
    """Whole or not at all; returns its place in the run directory."""
    kept = Path("samples") / f"{name}.npz"
    fresh = path / f"{kept}.new"
    with writing(path):
        with fresh.open("wb") as file:
            np.savez_compressed(file, latency_ms=latencies_ms)
        fresh.replace(path / kept)
    return str(kept)
