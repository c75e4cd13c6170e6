"""A server process of our own: started, watched, and always ended."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from analyzer.errors import SweepError, TargetError
from analyzer.stdb.words import one_line

_GRACE_S = 5.0
_REAP_S = 0.5
"""A process that has just broken our connection is still being reaped."""
_DATE = re.compile(r"^\d{4}-\d\d-\d\dT\S+ +")


@contextlib.asynccontextmanager
async def running(
    command: Sequence[str], *, log: Path, what: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `command` in its own session, its stderr in `log`; on exit close its stdin and end it.

    Its own session, so that Ctrl-C reaches the sweep alone, which then ends the server in order.
    Raises TargetError when it cannot be started.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as errors:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        except OSError as error:
            raise TargetError(f"cannot start the {what}: {error.strerror}: {command[0]}") from None
    try:
        yield process
    except SweepError as error:
        with contextlib.suppress(TimeoutError):
            code = await asyncio.wait_for(process.wait(), _REAP_S)
            if (words := last_words(log)) not in str(error):
                error.add_note(f"the {what} ended with {_exit_text(code)}: {words}")
        raise
    finally:
        await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    for stop in (process.terminate, process.kill):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            stop()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE_S)


def _exit_text(code: int) -> str:
    return f"exit {code}" if code >= 0 else signal.Signals(-code).name


def last_words(log: Path) -> str:
    """The last line a server wrote to its log, for an error message, after the last warning of
    the few lines before it: what a server dies of is often told before what it dies with."""
    with contextlib.suppress(OSError, ValueError):
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
        *before, last = [_DATE.sub("", line).strip() for line in lines if line.strip()][-5:]
        warnings = [line for line in before if line.startswith(("WARN", "ERROR"))]
        return one_line("; ".join([*warnings[-1:], last]))
    return "it said nothing"
