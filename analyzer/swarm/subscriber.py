"""One subscribing client: connects, subscribes, then only counts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from analyzer.errors import MeasurementError
from analyzer.stdb.connection import Connection, closed_errors, closing_text, open_connection
from analyzer.stdb.messages import (
    TRANSACTION_UPDATE_HEAD,
    InitialConnection,
    SubscribeApplied,
    SubscriptionError,
    TransactionUpdate,
    decode,
    split,
    subscribe,
)

_SUBSCRIBE_S = 120.0


class Subscriber:
    """Made by `open`."""

    __slots__ = (
        "_connection",
        "_ended",
        "_protocol",
        "_receiver",
        "_unread",
        "_updates",
        "bytes_received",
        "identity",
    )

    _receiver: asyncio.Task[None]

    def __init__(self, connection: Connection, protocol: str) -> None:
        self._connection = connection
        self._protocol = protocol
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
        queries: Sequence[str],
        *,
        protocol: str,
        fast: bool,
        token: str | None,
    ) -> Subscriber:
        """Connect and subscribe; returns when the first rows are here.

        Raises HttpError when the connection is refused, MeasurementError when the subscription
        is, or when nothing comes within 120 s.
        """
        connection = await open_connection(
            server_url, database, token=token, protocol=protocol, fast=fast
        )
        subscriber = cls(connection, protocol)
        try:
            async with asyncio.timeout(_SUBSCRIBE_S):
                await subscriber._subscribe(queries)
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

    async def close(self) -> None:
        """Idempotent; takes about 2 s at most."""
        self._receiver.cancel()
        await self._connection.close()

    async def _subscribe(self, queries: Sequence[str]) -> None:
        while True:
            frame = await self._connection.recv()
            self.bytes_received += len(frame)
            applied = False
            for message in map(decode, split(frame, self._protocol)):
                match message:
                    case InitialConnection():
                        self.identity = message.identity
                        await self._connection.send(subscribe(1, 1, queries))
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
        recv, keep = self._connection.recv, self._unread.append
        one_a_frame = self._protocol == "v2.bsatn"
        try:
            while True:
                frame = await recv()
                self.bytes_received += len(frame)
                if one_a_frame and frame[:2] == TRANSACTION_UPDATE_HEAD:
                    self._updates += 1
                else:
                    keep(frame)
        except closed_errors() as error:
            self._ended = closing_text(error)

    def _read(self) -> None:
        for frame in self._unread:
            for message in map(decode, split(frame, self._protocol)):
                match message:
                    case TransactionUpdate():
                        self._updates += 1
                    case SubscriptionError():
                        self._ended = f"subscription ended: {message.error}"
        self._unread.clear()
