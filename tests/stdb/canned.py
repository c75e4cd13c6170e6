"""An HTTP server that gives one canned answer to everything and keeps what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Self


class Canned:
    def __init__(self, status: int, body: str = "", headers: Mapping[str, str] | None = None):
        self._body = body.encode()
        head = {"content-length": str(len(self._body)), "connection": "close"}
        lines = [f"{name}: {value}" for name, value in (head | dict(headers or {})).items()]
        self._head = "\r\n".join([f"HTTP/1.1 {status} Canned", *lines, "", ""]).encode()
        self.requests: list[bytes] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        lengths = [line for line in head.lower().split(b"\r\n") if b"content-length" in line]
        body = await reader.readexactly(int(lengths[0].split(b":")[1])) if lengths else b""
        self.requests.append(head + body)
        writer.write(self._head + self._body)
        await writer.drain()
        writer.close()
        await writer.wait_closed()


async def silent_server() -> asyncio.Server:
    """Takes connections and never says a word."""

    async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    return await asyncio.start_server(wait, "127.0.0.1", 0)
