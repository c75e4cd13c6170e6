from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(
    params=[("asyncio", {}), ("asyncio", {"use_uvloop": True})], ids=["asyncio", "uvloop"]
)
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def fast(anyio_backend: Any) -> bool:
    """picows on uvloop, websockets on plain asyncio: the two ways a sweep runs."""
    return bool(anyio_backend[1])
