"""Real parts for every test: the embedded engine and the test modules."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from analyzer.build.cache import cache_dir
from analyzer.build.modules import build_workspace, module_wasm
from analyzer.target import Server, Target

# A busy machine is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is built is the user's; the tokens of servers that tests start are not."""
    own, users = tmp_path_factory.mktemp("cache"), cache_dir()
    for name in ("engine", "modules", "typescript", "typescript-modules"):
        (users / name).mkdir(parents=True, exist_ok=True)
        (own / name).symlink_to(users / name)
    (own / "prometheus").symlink_to(users / "prometheus")  # whose absence is a sign to `make`
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STDB_SWEEP_CACHE", str(own))
        yield


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The embedded engine, one for the whole session; tests use databases of their own."""
    log = tmp_path_factory.mktemp("engine") / "server.log"
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    context = Target().open(log)
    server = asyncio.run_coroutine_threadsafe(context.__aenter__(), loop).result(60)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(
            context.__aexit__(None, None, None),
            loop,  # type: ignore[arg-type]
        ).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def own_engine(tmp_path: Path) -> Target:
    """For tests that break their server."""
    return Target()


@pytest.fixture(scope="session")
def lobby_wasm() -> bytes:
    return module_wasm("lobby").read_bytes()


@pytest.fixture(scope="session")
def tournament_wasm() -> bytes:
    return module_wasm("tournament").read_bytes()


@pytest.fixture(scope="session")
def strange_modules() -> dict[str, Path]:
    """Modules that are none of ours, by name: see tests/modules."""
    names = ("auction", "wrong_lobby")
    paths = build_workspace(Path(__file__).parent / "modules", names)
    return dict(zip(names, paths, strict=True))
