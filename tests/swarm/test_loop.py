from __future__ import annotations

import asyncio
import importlib.util

import pytest

from analyzer.errors import SweepError
from analyzer.swarm.loop import run


async def loop_kind() -> str:
    return type(asyncio.get_running_loop()).__module__


def test_uvloop_is_used_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(loop_kind()).startswith("uvloop")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert run(loop_kind()).startswith("asyncio")


def test_errors_come_through() -> None:
    async def failing() -> None:
        raise SweepError("no")

    with pytest.raises(SweepError, match="no"):
        run(failing())


def test_inside_a_running_loop_it_says_what_to_call_instead() -> None:
    async def notebook() -> None:
        with pytest.raises(SweepError, match="await the async function"):
            run(loop_kind())

    asyncio.run(notebook())
