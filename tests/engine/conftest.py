"""The engine under test, started as a process, and databases of a test's own."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from analyzer.build.engine import engine_binary
from analyzer.build.modules import module_wasm
from tests.engine.process import Engine


@pytest.fixture(scope="session")
def binary() -> Path:
    """The engine of STDB_ENGINE, else the one built from these sources."""
    given = os.environ.get("STDB_ENGINE")
    return Path(given) if given else engine_binary()


@pytest.fixture(scope="session")
def engine(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with Engine(binary, tmp_path_factory.mktemp("engine")) as engine:
        yield engine


@pytest.fixture
def own_engine(binary: Path, tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """Starts an engine for one test, with flags."""
    started: list[Engine] = []

    def start(*flags: str) -> Engine:
        started.append(Engine(binary, tmp_path, *flags))
        return started[-1]

    yield start
    for engine in started:
        engine.kill()


@pytest.fixture(scope="session")
def lobby() -> bytes:
    return module_wasm("lobby").read_bytes()


@pytest.fixture(scope="session")
def http(engine: Engine) -> Iterator[httpx.Client]:
    with engine.client() as client:
        yield client


@pytest.fixture
def database(http: httpx.Client, lobby: bytes) -> Iterator[Database]:
    """A lobby with 8 rooms, deleted after the test."""
    database = Database.publish(http, lobby)
    database.call("seed_rooms", 8)
    yield database
    database.delete()


class Database:
    """A published module, with the token of its owner."""

    def __init__(self, http: httpx.Client, name: str, owner: dict[str, str], identity: str) -> None:
        self.http = http
        self.name = name
        self.path = f"/v1/database/{name}"
        self.owner = owner
        self.identity = identity

    @classmethod
    def publish(cls, http: httpx.Client, module: bytes) -> Database:
        owner = bearer(http.post("/v1/identity").json()["token"])
        name = f"test-{uuid.uuid4().hex[:12]}"
        answer = http.put(f"/v1/database/{name}", content=module, headers=owner)
        answer.raise_for_status()
        return cls(http, name, owner, answer.json()["Success"]["database_identity"])

    def call(self, reducer: str, *arguments: object) -> httpx.Response:
        return self.http.post(f"{self.path}/call/{reducer}", json=arguments, headers=self.owner)

    def sql(self, statement: str) -> list[list[object]]:
        answer = self.http.post(f"{self.path}/sql", content=statement, headers=self.owner)
        answer.raise_for_status()
        rows: list[list[object]] = answer.json()[0]["rows"]
        return rows

    def delete(self) -> None:
        self.http.delete(self.path, headers=self.owner)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
