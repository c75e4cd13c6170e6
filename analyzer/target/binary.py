"""The user's own server binary, with a throw-away data folder."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from analyzer.errors import HttpError, TargetError
from analyzer.stdb.http import StdbHttp
from analyzer.target.process import last_words, running
from analyzer.target.server import Server

_START_S = 30.0


@contextlib.asynccontextmanager
async def server_binary(binary: Path, log: Path) -> AsyncIterator[Server]:
    """Start `spacetimedb-standalone` (or `spacetime`) in memory on a free loopback port.

    Raises TargetError when it does not answer within 30 s.
    """
    address = f"127.0.0.1:{_free_port()}"
    with tempfile.TemporaryDirectory(prefix="stdb-sweep-") as folder:
        command = [
            str(binary), "start", "--listen-addr", address, "--in-memory", "--non-interactive",
            "--data-dir", f"{folder}/data", "--jwt-key-dir", f"{folder}/keys",
        ]  # fmt: skip
        async with running(command, log=log, what=f"server {binary.name}") as process:
            drain = asyncio.create_task(_drain(process))
            try:
                url = f"http://{address}"
                version = await _version(url, process, log)
                yield Server(url, "binary", version, pid=process.pid)
            finally:
                drain.cancel()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _drain(process: asyncio.subprocess.Process) -> None:
    """A full stdout pipe would stop the server."""
    assert process.stdout is not None
    while await process.stdout.read(65536):
        pass


async def _version(url: str, process: asyncio.subprocess.Process, log: Path) -> str:
    deadline = asyncio.get_running_loop().time() + _START_S
    async with StdbHttp(url) as http:
        while True:
            if process.returncode is not None:
                raise TargetError(
                    f"the server ended at once (exit {process.returncode}): {last_words(log)}"
                )
            try:
                return await http.version()
            except HttpError as error:
                if asyncio.get_running_loop().time() > deadline:
                    raise TargetError(f"no answer within {_START_S:.0f} s: {error}") from None
            await asyncio.sleep(0.05)
