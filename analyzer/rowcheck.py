"""Does a view design show every client the rows that another one shows it?"""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import cache
from typing import Any

from analyzer.arms import Arm
from analyzer.errors import MeasurementError
from analyzer.stdb.schema import Schema
from analyzer.swarm.subscriber import Held, Subscriber
from analyzer.swarm.subscribers import Swarm


async def unlike_rows(swarm: Swarm, schema: Schema, reference: Arm, rows: int) -> str | None:
    """Compare what each client holds with what `reference` shows to the same identity.

    All its rows count, whatever table they came by. Each client subscribes to the reference as
    well, which starts its views: only for a database that is done with. Returns the first
    difference in words, None when there is none.
    """
    decode = cache(schema.decode_row)

    def values(held: Held) -> Counter[tuple[Any, ...]]:
        known: Counter[tuple[Any, ...]] = Counter()
        for table, encoded in held.items():
            for row, count in encoded.items():
                known[decode(table, row)] += count
        return +known

    async def unlike(client: Subscriber) -> str | None:
        try:
            shown = values(client.rows())
            wanted = values(await client.snapshot(reference.queries_of(client.number, rows)))
        except MeasurementError as error:
            return f"client {client.number}: {error}"
        return _difference(client.number, shown, wanted, reference.name)

    found = await asyncio.gather(*map(unlike, swarm.subscribers))
    return next((reason for reason in found if reason), None)


def _difference(
    client: int,
    shown: Counter[tuple[Any, ...]],
    wanted: Counter[tuple[Any, ...]],
    reference: str,
) -> str | None:
    if shown == wanted:
        return None
    missing, extra = wanted - shown, shown - wanted
    example = next(iter(missing or extra))
    return (
        f"client {client} holds {shown.total():,} rows, {reference} shows it {wanted.total():,}: "
        f"{missing.total():,} are missing and {extra.total():,} are too many, "
        f"such as {example!r}"
    )
