"""A WebSocket server that speaks just enough to show what a real one cannot be made to show."""

from __future__ import annotations

import itertools
from typing import Self

from websockets.asyncio.server import Server, ServerConnection, serve

from analyzer.stdb.bsatn import Reader, Writer

TABLE = "room"


def initial_connection(identity: int) -> bytes:
    return Writer().u8(0).integer(identity, 256).integer(1, 128).string("a-token").getvalue()


def subscribe_applied(rows: bytes = b"", row_size: int = 1) -> bytes:
    writer = Writer().u8(1).u32(1).u32(1).u32(1).string(TABLE)
    return writer.u8(0).integer(row_size, 16).blob(rows).getvalue()


def subscription_error(text: str) -> bytes:
    return Writer().u8(3).u8(1).u32(1).string(text).getvalue()


def transaction_update(row: bytes = b"12345678") -> bytes:
    writer = Writer().u8(4).u32(1).u32(1).u32(1).string(TABLE).u32(1).u8(0)
    for _ in ("inserts", "deletes"):
        writer.u8(0).integer(8, 16).blob(row)
    return writer.getvalue()


def reducer_result(request_id: int, error: str | None = None) -> bytes:
    writer = Writer().u8(6).u32(request_id).u64(0)
    if error is None:
        return writer.u8(1).getvalue()
    return writer.u8(2).blob(Writer().string(error).getvalue()).getvalue()


def frame(*messages: bytes) -> bytes:
    return b"\x00" + b"".join(messages)


class Stub:
    """Acknowledges each call and pushes one update to each subscriber.

    Tests override `on_connect`, `on_subscribe` and `on_call`.
    """

    def __init__(self) -> None:
        self.subscribers: list[ServerConnection] = []
        self._identities = itertools.count(1)

    async def __aenter__(self) -> Self:
        self._server: Server = await serve(
            self._handle,
            "127.0.0.1",
            0,
            subprotocols=["v2.bsatn.spacetimedb", "v3.bsatn.spacetimedb"],  # type: ignore[list-item]
            compression=None,
            ping_interval=None,
        )
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def on_connect(self, socket: ServerConnection) -> None:
        await socket.send(frame(initial_connection(next(self._identities))))

    async def on_subscribe(self, socket: ServerConnection) -> None:
        self.subscribers.append(socket)
        await socket.send(frame(subscribe_applied()))

    async def on_call(self, socket: ServerConnection, request_id: int) -> None:
        await self.push()
        await socket.send(frame(reducer_result(request_id)))

    async def push(self) -> None:
        for subscriber in self.subscribers:
            await subscriber.send(frame(transaction_update()))

    async def _handle(self, socket: ServerConnection) -> None:
        await self.on_connect(socket)
        async for message in socket:
            assert isinstance(message, bytes)
            reader = Reader(message)
            tag, request_id = reader.u8(), reader.u32()
            if tag == 0:
                await self.on_subscribe(socket)
            else:
                await self.on_call(socket, request_id)
