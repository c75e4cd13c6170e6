"""What a cell is measured on: a seeded database, its subscribers and its writer."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from analyzer.arms import Arm
from analyzer.calls import Call
from analyzer.errors import MeasurementError
from analyzer.metrics.parse import parse
from analyzer.metrics.snapshot import Snapshot
from analyzer.stdb.http import StdbHttp
from analyzer.stdb.schema import Schema
from analyzer.swarm.clients import Client, Clients
from analyzer.swarm.kinds import swarm_of
from analyzer.swarm.subscriber import Script
from analyzer.swarm.writer import Writer, WriteRun

_SEED_S = 600.0


@dataclass(slots=True)
class Bench:
    """One database with its subscribers and its writer."""

    http: StdbHttp
    database: str
    schema: Schema
    swarm: Clients[Client]
    writer: Writer
    arm: Arm
    rows: int
    written: int = 0
    _latest: str = field(default="", repr=False)

    async def scrape(self) -> Snapshot:
        self._latest = await self.http.metrics()
        return parse(self._latest, url=f"{self.http.base_url}/v1/metrics", database=self.database)

    def own_lines(self) -> str:
        """The last page's lines about this database: what is kept of a raw scrape."""
        return "".join(line + "\n" for line in self._latest.split("\n") if self.database in line)

    async def write(self, count: int, rate: float | None) -> tuple[WriteRun, list[int]]:
        """Write `count` times, round the rows; returns which row each write went to.

        Raises UsageError for arguments that the reducer does not take.
        """
        call, clients = self.arm.write, self.swarm.size
        among = self.arm.written_rows(clients, self.rows)
        numbers = range(self.written, self.written + count)
        rows = [number % among for number in numbers]
        encoded = [
            _encoded(self.schema, call, i=row, rows=self.rows, client=number % max(clients, 1))[1]
            for number, row in zip(numbers, rows, strict=True)
        ]
        self.written += count
        run = await self.writer.write(call.reducer, encoded.__getitem__, count, rate=rate)
        return run, rows


@contextlib.asynccontextmanager
async def open_bench(
    http: StdbHttp,
    database: str,
    arm: Arm,
    rows: int,
    *,
    seed: Call | None,
    owner: str | None,
    subscribers: str = "websocket",
    protocol: str = "v2.bsatn",
    fast: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> AsyncIterator[Bench]:
    """Seed `database` for `rows` rows; nobody subscribes yet.

    Seed and writes are made under the token `owner`; `subscribers` is a `Plan.subscribers`.

    Raises HttpError when a connection is refused, UsageError for a call that does not fit the
    database's schema, MeasurementError when the seed fails.
    """
    schema = Schema(await http.schema(database))

    def script(client: int) -> Script:
        call = None
        if arm.client_call and client % arm.every == 0:
            call = _encoded(schema, arm.client_call, i=client % rows, rows=rows, client=client)
        return Script(arm.queries_of(client, rows), call, keep_rows=bool(arm.rows_of))

    async with (
        swarm_of(
            subscribers, http, database, script, protocol=protocol, fast=fast, progress=progress
        ) as swarm,
        Writer(http.base_url, database, token=owner, protocol=protocol) as writer,
    ):
        if seed:
            reducer, encoded = _encoded(schema, seed, i=0, rows=rows, client=0)
            run = await writer.write(reducer, lambda _: encoded, 1, timeout_s=_SEED_S)
            if run.failed_count:
                raise MeasurementError(f"{reducer} fails: {run.failed[0]}")
        yield Bench(http, database, schema, swarm, writer, arm, rows)


def _encoded(schema: Schema, call: Call, **places: int) -> tuple[str, bytes]:
    return call.reducer, schema.encode(call.reducer, call.arguments(**places))
