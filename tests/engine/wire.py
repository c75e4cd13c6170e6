"""The few WebSocket messages the tests send, and a socket that shows single frames."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import struct
from dataclasses import dataclass
from typing import Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

JSON = "v1.json.spacetimedb"
V1 = "v1.bsatn.spacetimedb"
V2 = "v2.bsatn.spacetimedb"
V3 = "v3.bsatn.spacetimedb"


def text(value: str) -> bytes:
    return struct.pack("<I", len(value.encode())) + value.encode()


def subscribe(query: str, *, request: int = 1, query_set: int = 1) -> bytes:
    return struct.pack("<BIII", 0, request, query_set, 1) + text(query)


def call(reducer: str, argument: int, *, request: int = 2) -> bytes:
    arguments = struct.pack("<Q", argument)
    return (
        struct.pack("<BIB", 3, request, 0)
        + text(reducer)
        + struct.pack("<I", len(arguments))
        + arguments
    )


def open_socket(
    address: str, database: str, *protocols: str, query: str = "compression=None"
) -> connect:
    return connect(
        f"ws://{address}/v1/database/{database}/subscribe?confirmed=false&{query}",
        subprotocols=[Subprotocol(protocol) for protocol in protocols] or None,
        compression=None,
        max_size=None,
        proxy=None,
        open_timeout=60,
    )


async def answer(socket: ClientConnection) -> bytes:
    """The next binary message, within a few seconds."""
    message = await asyncio.wait_for(socket.recv(), 20)
    assert isinstance(message, bytes)
    return message


async def subscribed(address: str, database: str, query: str) -> ClientConnection:
    """A v2 client that has seen its first rows."""
    socket = await open_socket(address, database, V2)
    assert (await answer(socket))[:2] == b"\0\0"
    await socket.send(subscribe(query))
    assert (await answer(socket))[:2] == b"\0\1"
    return socket


@dataclass(frozen=True)
class Frame:
    final: bool
    opcode: int
    payload: bytes


class RawSocket:
    """A client that sees frames, answers no ping and may send what no library would."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer

    @classmethod
    async def open(cls, address: str, database: str, protocol: str = V2) -> Self:
        host, port = address.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        key = base64.b64encode(os.urandom(16)).decode()
        writer.write(
            f"GET /v1/database/{database}/subscribe?compression=None HTTP/1.1\r\n"
            f"Host: {address}\r\n"
            f"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Protocol: {protocol}\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101 "), head
        return cls(reader, writer)

    def send(self, opcode: int, payload: bytes, *, claimed: int | None = None) -> None:
        """One final, masked frame; `claimed` is the length its header tells."""
        length = len(payload) if claimed is None else claimed
        if length < 126:
            head = struct.pack(">BB", 0x80 | opcode, 0x80 | length)
        else:
            head = struct.pack(">BBQ", 0x80 | opcode, 0x80 | 127, length)
        self.writer.write(head + bytes(4) + payload)

    async def frame(self) -> Frame:
        first, second = await asyncio.wait_for(self._reader.readexactly(2), 20)
        length = second & 127
        if length == 126:
            (length,) = struct.unpack(">H", await self._reader.readexactly(2))
        elif length == 127:
            (length,) = struct.unpack(">Q", await self._reader.readexactly(8))
        return Frame(bool(first & 0x80), first & 15, await self._reader.readexactly(length))

    async def until_the_end(self) -> list[Frame]:
        """What the server still says before it hangs up."""
        frames = []
        try:
            while True:
                frames.append(await self.frame())
        except (asyncio.IncompleteReadError, ConnectionError):
            return frames

    async def close_code(self) -> int | None:
        codes = [frame.payload[:2] for frame in await self.until_the_end() if frame.opcode == 8]
        await self.close()
        return int.from_bytes(codes[0], "big") if codes else None

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()
