"""One subscribing client: connects, subscribes, then only counts."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analyzer.errors import MeasurementError
from analyzer.stdb.connection import Connection, closed_errors, closing_text, open_connection
from analyzer.stdb.messages import (
    TRANSACTION_UPDATE_HEAD,
    InitialConnection,
    ReducerResult,
    Rows,
    SubscribeApplied,
    SubscriptionError,
    TransactionUpdate,
    call_reducer,
    decode,
    split,
    subscribe,
)

_SUBSCRIBE_S = 120.0
_POLL_S = 0.002

Held = dict[str, Counter[bytes]]
"""Encoded rows by table, with how often a client holds each."""


@dataclass(frozen=True, slots=True)
class Script:
    """What one client does once it is connected."""

    queries: Sequence[str]
    call: tuple[str, bytes] | None = None
    """A reducer with its encoded arguments, called before it subscribes."""
    keep_rows: bool = False
    """Whether it keeps the messages that `rows` needs."""


class Subscriber:
    """Made by `open`."""

    __slots__ = (
        "_applied",
        "_connection",
        "_ended",
        "_kept",
        "_protocol",
        "_receiver",
        "_script",
        "_unread",
        "_updates",
        "bytes_received",
        "identity",
        "number",
    )

    _receiver: asyncio.Task[None]

    def __init__(self, connection: Connection, protocol: str, script: Script, number: int) -> None:
        self._connection = connection
        self._protocol = protocol
        self._script = script
        self.number = number
        self._applied: list[SubscribeApplied] = []
        self._kept: list[bytes] = []
        self._unread: list[bytes] = []
        self._updates = 0
        self._ended: str | None = None
        self.bytes_received = 0
        self.identity = ""

    @classmethod
    async def open(
        cls,
        server_url: str,
        database: str,
        script: Script,
        *,
        number: int,
        protocol: str,
        fast: bool,
        token: str | None,
    ) -> Subscriber:
        """Connect, make the script's call and subscribe; returns when the first rows are here.

        Raises HttpError when the connection is refused, MeasurementError when the call or the
        subscription is, or when nothing comes within 120 s.
        """
        connection = await open_connection(
            server_url, database, token=token, protocol=protocol, fast=fast
        )
        subscriber = cls(connection, protocol, script, number)
        try:
            async with asyncio.timeout(_SUBSCRIBE_S):
                await subscriber._subscribe()
        except BaseException as error:
            await connection.close()
            if isinstance(error, TimeoutError):
                raise MeasurementError(
                    f"{server_url}: a subscription was not applied within {_SUBSCRIBE_S:.0f} s"
                ) from None
            if isinstance(error, closed_errors()):
                raise MeasurementError(
                    f"{server_url} ended a connection before it was subscribed: "
                    + closing_text(error)
                ) from None
            raise
        subscriber._receiver = asyncio.create_task(subscriber._receive())
        return subscriber

    @property
    def updates(self) -> int:
        """TransactionUpdates since the connection was opened."""
        self._read()
        return self._updates

    @property
    def ended(self) -> str | None:
        """Why it receives no more, such as `1009 message too big`; None while it lives."""
        self._read()
        return self._ended

    def rows(self) -> Held:
        """The rows it was sent, changes applied; its script must keep them.

        Raises MeasurementError when a row is taken back that it does not hold.
        """
        self._read()
        held: Held = {}
        for frame in self._kept:
            for message in map(decode, split(frame, self._protocol)):
                match message:
                    case SubscribeApplied():
                        _add(held, message.rows)
                    case TransactionUpdate():
                        _remove(held, message.deletes)
                        _add(held, message.inserts)
        return held

    async def snapshot(self, queries: Sequence[str]) -> Held:
        """Subscribe to `queries` as well, and return the rows that this brings.

        Views that it starts go on costing their writes: only for a database that is done with.
        Raises MeasurementError when it is refused or takes longer than 120 s.
        """
        await self._connection.send(subscribe(2, 2, queries))
        try:
            async with asyncio.timeout(_SUBSCRIBE_S):
                while self.ended is None:
                    if self._applied:
                        held: Held = {}
                        _add(held, self._applied[0].rows)
                        return held
                    await asyncio.sleep(_POLL_S)
        except TimeoutError:
            raise MeasurementError(
                f"a second subscription was not applied within {_SUBSCRIBE_S:.0f} s"
            ) from None
        raise MeasurementError(f"no second subscription: {self.ended}")

    async def close(self) -> None:
        """Idempotent; takes about 2 s at most."""
        self._receiver.cancel()
        await self._connection.close()

    async def _subscribe(self) -> None:
        """The call is answered before the subscription goes out, so that its rows are in there."""
        script = self._script
        while True:
            frame = await self._connection.recv()
            self.bytes_received += len(frame)
            if script.keep_rows:
                self._kept.append(frame)
            applied = False
            for message in map(decode, split(frame, self._protocol)):
                match message:
                    case InitialConnection():
                        self.identity = message.identity
                        if script.call is None:
                            await self._connection.send(subscribe(1, 1, script.queries))
                        else:
                            await self._connection.send(call_reducer(1, *script.call))
                    case ReducerResult(error=None):
                        await self._connection.send(subscribe(1, 1, script.queries))
                    case ReducerResult():
                        raise MeasurementError(
                            f"client {self.number}: its call of {script.call and script.call[0]} "
                            f"fails: {message.error}"
                        )
                    case SubscribeApplied():
                        applied = True
                    case SubscriptionError():
                        raise MeasurementError(f"the subscription was refused: {message.error}")
                    case TransactionUpdate():
                        self._updates += 1
            if applied:
                return

    async def _receive(self) -> None:
        """Runs inside timed windows, so it decodes nothing.

        A v2 frame is one message, told by its first bytes. How many a v3 frame holds is found
        out later, in `_read`.
        """
        recv, unread, keep = self._connection.recv, self._unread.append, self._kept.append
        one_a_frame, keeps = self._protocol == "v2.bsatn", self._script.keep_rows
        try:
            while True:
                frame = await recv()
                self.bytes_received += len(frame)
                if not (one_a_frame and frame[:2] == TRANSACTION_UPDATE_HEAD):
                    unread(frame)
                    continue
                self._updates += 1
                if keeps:
                    keep(frame)
        except closed_errors() as error:
            self._ended = closing_text(error)

    def _read(self) -> None:
        for frame in self._unread:
            before = self._updates
            for message in map(decode, split(frame, self._protocol)):
                match message:
                    case TransactionUpdate():
                        self._updates += 1
                    case SubscribeApplied():
                        self._applied.append(message)
                    case SubscriptionError():
                        self._ended = f"subscription ended: {message.error}"
            if self._script.keep_rows and self._updates > before:
                self._kept.append(frame)
        self._unread.clear()


def _add(held: Held, inserted: Iterable[Rows]) -> None:
    for rows in inserted:
        held.setdefault(rows.table, Counter()).update(rows.split())


def _remove(held: Held, deleted: Iterable[Rows]) -> None:
    for rows in deleted:
        own = held.setdefault(rows.table, Counter())
        for row in rows.split():
            if not own[row]:
                raise MeasurementError(f"a row of {rows.table} was taken back that was never sent")
            own[row] -= 1
