"""The embedded engine: the published engine crate behind our own small front, in memory."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

from analyzer.build.engine import engine_binary
from analyzer.errors import TargetError
from analyzer.target.process import last_words, running
from analyzer.target.server import Server

_START_S = 30.0


@contextlib.asynccontextmanager
async def embedded(log: Path) -> AsyncIterator[Server]:
    """Start the engine on a free loopback port; it ends with us, even when we are killed.

    Raises BuildError when it is not built, TargetError when it does not come up.
    """
    # On a busy machine we may answer pings late; that must not end a subscriber.
    command = [str(engine_binary()), "--listen", "127.0.0.1:0", "--exit-with-stdin"]
    command += ["--idle-timeout", "300"]
    async with running(command, log=log, what="embedded engine") as process:
        assert process.stdout is not None
        try:
            line = await asyncio.wait_for(process.stdout.readline(), _START_S)
            ready = json.loads(line)
        except (TimeoutError, json.JSONDecodeError):
            raise TargetError(f"the embedded engine did not start: {last_words(log)}") from None
        url = f"http://{ready['listen']}"
        yield Server(url, "embedded", ready["version"], pid=process.pid)
