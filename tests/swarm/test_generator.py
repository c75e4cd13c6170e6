from __future__ import annotations

import asyncio
import resource
import time
from typing import Any

import pytest

from analyzer.errors import PreflightError
from analyzer.swarm.generator import GeneratorGuard, check_descriptors


@pytest.mark.anyio
async def test_a_loop_that_is_held_up_shows_as_lag_and_processor_share() -> None:
    began = time.perf_counter()
    with GeneratorGuard() as guard:
        await asyncio.sleep(0.02)
        burning = time.process_time()
        while time.process_time() < burning + 0.2:
            pass
        await asyncio.sleep(0)
    assert guard.max_lag_ms >= 150
    assert 150 <= guard.p99_lag_ms <= guard.max_lag_ms
    wall_s = time.perf_counter() - began
    assert guard.cpu_share * wall_s >= 0.2, "a share of less wall time than passed here"


@pytest.mark.anyio
async def test_a_window_shorter_than_a_tick_has_no_lag() -> None:
    with GeneratorGuard() as guard:
        pass
    assert guard.max_lag_ms == guard.p99_lag_ms == 0


class Limits:
    def __init__(self, soft: int, hard: int) -> None:
        self.now = (soft, hard)

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def set_limits(which: int, limits: tuple[int, int]) -> None:
            self.now = limits

        monkeypatch.setattr(resource, "getrlimit", lambda which: self.now)
        monkeypatch.setattr(resource, "setrlimit", set_limits)


def test_too_few_descriptors_are_said_with_both_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(64, 64)
    limits.install(monkeypatch)
    with pytest.raises(PreflightError) as caught:
        check_descriptors(164)
    assert str(caught.value) == (
        "this sweep needs 164 file descriptors, the limit is 64; raise it with `ulimit -n 164`"
    )
    assert limits.now == (64, 64)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((64, 4096), (164, 4096)),
        ((64, resource.RLIM_INFINITY), (164, resource.RLIM_INFINITY)),
        ((1024, 4096), (1024, 4096)),
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), (resource.RLIM_INFINITY,) * 2),
    ],
)
def test_the_soft_limit_is_raised_when_the_hard_one_allows(
    monkeypatch: pytest.MonkeyPatch, before: tuple[int, int], after: Any
) -> None:
    limits = Limits(*before)
    limits.install(monkeypatch)
    check_descriptors(164)
    assert limits.now == after
