"""The event loop of the blocking API."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import Coroutine
from typing import Any, TypeVar

from analyzer.errors import SweepError

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` to its end, on uvloop where it is installed.

    Raises SweepError where a loop runs already, as in a notebook.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with asyncio.Runner(loop_factory=_factory()) as runner:
            return runner.run(main)
    main.close()
    raise SweepError(
        "an event loop runs already, as in a notebook: await the async function instead, "
        "such as `await sweep(...)`"
    )


def _factory() -> Any:
    if importlib.util.find_spec("uvloop") is None:
        return None
    import uvloop

    return uvloop.new_event_loop
