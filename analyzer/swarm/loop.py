"""The event loop of the blocking API."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import signal
import sys
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from analyzer.errors import SweepError

T = TypeVar("T")

_SILENT_S = 2.0


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` to its end, on uvloop where it is installed.

    Ctrl-C, a hangup and a plain kill cancel it, so that it cleans up, and says so when that takes
    more than 2 s; a second one does not disturb that, a third ends it where it stands. Raises
    KeyboardInterrupt after any of these, SweepError where a loop runs already, as in a notebook.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=_factory()) as runner:
            try:
                return runner.run(_stoppable(main))
            except asyncio.CancelledError:
                raise KeyboardInterrupt from None
    main.close()
    raise SweepError(
        "an event loop runs already, as in a notebook: await the async function instead, "
        "such as `await sweep(...)`"
    )


async def _stoppable(main: Coroutine[Any, Any, T]) -> T:
    task, loop, stops = asyncio.ensure_future(main), asyncio.get_running_loop(), 0
    silence: asyncio.TimerHandle | None = None

    def stop() -> None:
        nonlocal stops, silence
        stops += 1
        if stops == 1:
            task.cancel()
            silence = loop.call_later(_SILENT_S, _tell, "cleaning up")
        elif stops == 2:
            _tell("cleaning up; once more ends it where it stands")
        else:
            raise KeyboardInterrupt

    in_main_thread = threading.current_thread() is threading.main_thread()
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if in_main_thread else ()
    for number in signals:
        loop.add_signal_handler(number, stop)
    try:
        return await task
    finally:
        if silence is not None:
            silence.cancel()
        for number in signals:
            loop.remove_signal_handler(number)


def _tell(text: str) -> None:
    with contextlib.suppress(OSError):
        print(text, file=sys.stderr)


def _factory() -> Any:
    if importlib.util.find_spec("uvloop") is None:
        return None
    import uvloop

    return uvloop.new_event_loop
