"""A proxy before the real engine, for faults that it cannot be made to show itself."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

Answer = Callable[[bytes], bytes | None]
"""(request head) -> the whole answer to give instead, or None to let it through."""
Drop = Callable[[bytes], bool]
"""(bytes from the server) -> whether they get lost."""


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
    engine_url: str, *, answer: Answer = lambda head: None, drop: Drop = lambda data: False
) -> Iterator[str]:
    """Pipe a loopback port to the engine; yields its URL. `answer` sees each request head."""
    upstream = urlsplit(engine_url)
    loop = asyncio.new_event_loop()

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(upstream.hostname, upstream.port)

        async def outward() -> None:
            while data := await reader.read(1 << 20):
                if (instead := answer(data)) is not None:
                    writer.write(instead)
                else:
                    up_writer.write(data)

        async def inward() -> None:
            while data := await up_reader.read(1 << 20):
                if not drop(data):
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
