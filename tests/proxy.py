"""A proxy before the real engine, for faults that it cannot be made to show itself."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from urllib.parse import urlsplit

Answer = Callable[[bytes], bytes | None]
"""(request head) -> the whole answer to give instead, or None to let it through."""
Relay = Callable[[int, bytes], Awaitable[list[bytes]]]
"""(WebSocket, whole message from the server) -> the messages to pass on in its place.

WebSockets are numbered from 0 in the order in which they are opened. Raising `Cut` ends one.
"""
UPDATE, RESULT = b"\x00\x04", b"\x00\x06"
"""How an uncompressed v2 message begins that is a transaction's update, or a call's result."""


class Cut(Exception):
    pass


def http_answer(status: str, body: str, content_type: str = "text/plain", extra: str = "") -> bytes:
    payload = body.encode()
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: {content_type}\r\n{extra}"
        f"content-length: {len(payload)}\r\n\r\n"
    )
    return head.encode() + payload


def answering(path: str, answer: bytes) -> Answer:
    return lambda head: answer if head.split(b" ", 2)[1:2] == [path.encode()] else None


@contextlib.contextmanager
def proxy(
    engine_url: str, *, answer: Answer = lambda head: None, relay: Relay | None = None
) -> Iterator[str]:
    """Pipe a loopback port to the engine; yields its URL.

    `answer` sees each request head, `relay` each message of a WebSocket from the engine.
    """
    upstream = urlsplit(engine_url)
    loop = asyncio.new_event_loop()
    numbers = itertools.count()

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(upstream.hostname, upstream.port)

        async def outward() -> None:
            while data := await reader.read(1 << 20):
                if (instead := answer(data)) is not None:
                    writer.write(instead)
                else:
                    up_writer.write(data)

        async def inward() -> None:
            if relay is not None:
                head = await up_reader.readuntil(b"\r\n\r\n")
                writer.write(head)
                if head.startswith(b"HTTP/1.1 101"):
                    await _relay(relay, next(numbers), up_reader, writer)
            while data := await up_reader.read(1 << 20):
                writer.write(data)

        tasks = [asyncio.create_task(outward()), asyncio.create_task(inward())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            for side in (writer, up_writer):
                side.close()

    server = loop.run_until_complete(asyncio.start_server(client, "127.0.0.1", 0))
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:

        async def stop() -> None:
            server.close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _relay(
    relay: Relay, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Messages come unmasked, perhaps in fragments; control frames pass as they are."""
    message = b""
    while True:
        head = await reader.readexactly(2)
        final, kind, length = head[0] & 0x80, head[0] & 0x0F, head[1]
        if length >= 126:
            long = await reader.readexactly(2 if length == 126 else 8)
            length = int.from_bytes(long)
        payload = await reader.readexactly(length)
        if kind >= 8:
            writer.write(head + payload)
            continue
        message += payload
        if final:
            for passed in await relay(number, message):
                writer.write(_frame(passed))
            message = b""


def _frame(message: bytes) -> bytes:
    size = len(message)
    if size < 126:
        return struct.pack(">BB", 0x82, size) + message
    if size < 1 << 16:
        return struct.pack(">BBH", 0x82, 126, size) + message
    return struct.pack(">BBQ", 0x82, 127, size) + message
