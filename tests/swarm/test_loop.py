from __future__ import annotations

import asyncio
import importlib.util
import os
import signal

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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_and_a_second_one_does_not_disturb_the_cleaning_up(
    number: signal.Signals,
) -> None:
    done = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), number)
            await asyncio.sleep(30)
        finally:
            os.kill(os.getpid(), number)
            await asyncio.sleep(0.1)
            done.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        run(work())
    assert done == ["cleaned up"]


@pytest.mark.parametrize(("cleaning_s", "told"), [(0.2, "cleaning up\n"), (0.0, "")])
def test_cleaning_up_that_takes_long_is_said(
    cleaning_s: float,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("analyzer.swarm.loop._SILENT_S", 0.1)

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)
        finally:
            await asyncio.sleep(cleaning_s)

    with pytest.raises(KeyboardInterrupt):
        run(work())
    assert capsys.readouterr().err == told


def test_a_third_ctrl_c_ends_it_where_it_stands() -> None:
    done = []

    async def work() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(30)
        finally:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
                await asyncio.sleep(0.1)
            await asyncio.sleep(30)
            done.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        run(work())
    assert done == []


def test_afterwards_ctrl_c_is_what_it_was() -> None:
    run(loop_kind())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
