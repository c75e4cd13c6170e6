"""The poster: one HTTP connection, kept alive, that calls a reducer in a closed loop.

Written by hand on a plain stream, since a general HTTP client takes longer for a call than the
server does, and would be what is measured.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
from collections.abc import Callable
from typing import Self
from urllib.parse import quote, urlsplit

from analyzer.closing import Closing
from analyzer.errors import HttpError, MeasurementError
from analyzer.stdb.words import cause, one_line
from analyzer.swarm.tally import Tally, WriteRun

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_OPEN_S = 30.0


class Poster(Closing):
    """Calls reducers over HTTP; an async context manager.

    Opening raises HttpError when the server cannot be reached.
    """

    def __init__(self, server_url: str, database: str, *, token: str) -> None:
        self._url = urlsplit(server_url)
        self._path = f"/v1/database/{quote(database, safe='')}/call"
        self._headers = (
            f"Host: {self._url.netloc}\r\n"
            f"Authorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\n"
        )

    async def __aenter__(self) -> Self:
        where = self._url.geturl()
        secure = self._url.scheme == "https"
        port = self._url.port or (443 if secure else 80)
        try:
            async with asyncio.timeout(_OPEN_S):
                self._reader, self._writer = await asyncio.open_connection(
                    self._url.hostname, port, ssl=secure or None
                )
        except TimeoutError:
            raise HttpError(f"{where}: no connection within {_OPEN_S:.0f} s", url=where) from None
        except OSError as error:
            raise HttpError(f"cannot reach {where}: {cause(error)}", url=where) from None
        return self

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def write(
        self,
        reducer: str,
        args: Callable[[int], bytes],
        count: int,
        *,
        timeout_s: float = 60.0,
    ) -> WriteRun:
        """Call `reducer` `count` times, each after the answer to the one before, with the JSON
        arguments `args(index)`.

        Raises MeasurementError when the connection ends, or when an answer takes longer than
        `timeout_s`.
        """
        tally = Tally()
        head = f"POST {self._path}/{quote(reducer, safe='')} HTTP/1.1\r\n{self._headers}"
        began_s = time.perf_counter()
        try:
            for index in range(count):
                body = args(index)
                request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
                async with asyncio.timeout(timeout_s):
                    await self._call(request, tally)
        except TimeoutError:
            raise MeasurementError(
                f"{reducer}: no answer within {timeout_s:g} s, "
                f"after {tally.acknowledged} of {count} calls"
            ) from None
        except (OSError, EOFError, asyncio.LimitOverrunError) as error:
            raise MeasurementError(
                f"{reducer}: the connection ended ({cause(error)}) "
                f"after {tally.acknowledged} of {count} calls were answered"
            ) from None
        wall_s = time.perf_counter() - began_s
        return tally.run(late=0, sending_s=wall_s, wall_s=wall_s, open_loop=False)

    async def _call(self, request: bytes, tally: Tally) -> None:
        sent_s = time.perf_counter()
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if length is None:
            raise MeasurementError(f"{self._url.geturl()}: an answer without Content-Length")
        body = await self._reader.readexactly(int(length[1]))
        latency_ms = (time.perf_counter() - sent_s) * 1e3
        status = head[9:12].decode(errors="replace")
        if status == "200":
            tally.latencies_ms.append(latency_ms)
        else:
            tally.errors[f"{status} {one_line(body.decode(errors='replace'))}"] += 1
