"""The official TypeScript client on the embedded engine: its bytes are nobody's but its own."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from analyzer.build.cache import cache_dir
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server

HERE = Path(__file__).parent
PRACTICE_ROOM = 1 << 32
V3, V2 = "v3.bsatn.spacetimedb", "v2.bsatn.spacetimedb"
TABLE, PER_SENDER, ANONYMOUS, PERSONAL = (
    "lobbyProjection",
    "activeGamePerSender",
    "activeGameAnonymous",
    "myPracticeRoom",
)
_numbers = itertools.count()


@pytest.fixture(scope="session")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scripts and the packages of the lock file, installed once for good."""
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            pytest.fail(f"{program} is missing: install Node.js 20 or newer and npm")
    folder = tmp_path_factory.mktemp("typescript")
    for script in HERE.glob("*.mjs"):
        shutil.copy2(script, folder)
    (folder / "node_modules").symlink_to(_installed() / "node_modules")
    return folder


def _installed() -> Path:
    files = [HERE / name for name in ("package.json", "package-lock.json")]
    key = hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:12]
    home = cache_dir() / "typescript" / key
    if home.is_dir():
        return home
    fresh = home.with_suffix(f".{os.getpid()}")
    fresh.mkdir(parents=True)
    for path in files:
        shutil.copy2(path, fresh)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=fresh, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        shutil.rmtree(fresh)
        pytest.fail(f"npm ci: {done.stderr}")
    fresh.rename(home)
    return home


@contextmanager
def lobby(engine: Server, wasm: bytes, rooms: int) -> Iterator[str]:
    name = f"test-typescript-{next(_numbers)}"

    async def publish() -> str:
        async with StdbHttp(engine.url) as anyone:
            token = (await anyone.new_identity()).token
        async with StdbHttp(engine.url, token) as http:
            await http.publish(name, wasm)
            await http.call(name, "seed_rooms", [rooms])
        return token

    async def delete(token: str) -> None:
        async with StdbHttp(engine.url, token) as http:
            await http.delete(name)

    token = asyncio.run(publish())
    try:
        yield name
    finally:
        asyncio.run(delete(token))


def client(
    scripts: Path, url: str, database: str, settings: dict[str, Any]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", "client.mjs", url, database, json.dumps(settings)],
        cwd=scripts,
        env=os.environ | {"NODE_NO_WARNINGS": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def added(name: str, room: int, street: int = 0, pot: int = 0) -> str:
    return f"{name} + {room} street {street} pot {pot}"


def replaced(name: str, room: int) -> list[str]:
    """What a first settled street does to a view, whose rows have no key."""
    return [f"{name} - {room} street 0 pot 0", added(name, room, 1, 10)]


def updated(room: int) -> list[str]:
    """What it does to the table, whose rows have one."""
    return [f"{TABLE} {room} street 0 pot 0 -> {room} street 1 pot 10"]


def messages(seen: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    return [(message["cause"], sorted(message["rows"])) for message in seen]


@pytest.mark.parametrize(
    ("rooms", "protocol", "settings"),
    [
        pytest.param(4, V3, {}, id="defaults"),
        pytest.param(1000, V3, {}, id="gzip-in-fragments"),
        pytest.param(1000, V2, {"protocol": V2, "compression": "none"}, id="v2-uncompressed"),
        pytest.param(4, V3, {"lightMode": True, "confirmedReads": False}, id="light-unconfirmed"),
        pytest.param(4, V3, {"confirmedReads": True}, id="confirmed"),
    ],
)
def test_it_sees_every_write_in_the_table_and_both_kinds_of_view(
    scripts: Path,
    engine: Server,
    lobby_wasm: bytes,
    rooms: int,
    protocol: str,
    settings: dict[str, Any],
) -> None:
    with lobby(engine, lobby_wasm, rooms) as database:
        done = client(scripts, engine.url, database, {"rooms": rooms} | settings)
    assert (done.returncode, done.stderr) == (0, "")
    seen = json.loads(done.stdout)

    everywhere = (TABLE, PER_SENDER, ANONYMOUS)

    assert seen["protocol"] == protocol
    player, other, returned = seen["identities"]
    assert player != other
    assert (returned, seen["kept"]) == (player, 1), "the token brings identity and rows back"
    assert seen["subscribed"] == dict.fromkeys(everywhere, rooms) | {PERSONAL: 0}
    assert seen["initial"] == {
        "room": 3,
        "host": "host-3",
        "bigBlind": 2,
        "taken": 3,
        "street": 0,
        "pot": 0,
    }

    first = sorted(added(name, room) for name in everywhere for room in range(rooms))
    projected = sorted(updated(3) + replaced(PER_SENDER, 3) + replaced(ANONYMOUS, 3))
    settled = sorted(replaced(PER_SENDER, 2) + replaced(ANONYMOUS, 2))
    opened = sorted(added(name, PRACTICE_ROOM) for name in (PER_SENDER, PERSONAL))
    seeded = sorted(added(name, rooms) for name in everywhere)
    assert messages(seen["player"]) == [
        ("SubscribeApplied", first),
        ("settle_street_projected", projected),
        ("settle_street", settled),
        ("open_practice_room", opened),
        ("seed_rooms", seeded),
        ("UnsubscribeApplied", [f"{PERSONAL} - {PRACTICE_ROOM} street 0 pot 0"]),
    ]
    assert messages(seen["other"]) == [
        ("SubscribeApplied", first),
        *(("Transaction", rows) for rows in (projected, settled, seeded)),
    ], "a practice room is its owner's alone"
    after = dict.fromkeys(everywhere, rooms + 1)
    assert seen["ends"] == {
        "player": after | {PER_SENDER: rooms + 2, PERSONAL: 1},
        "other": after | {PERSONAL: 0},
    }

    assert seen["error"] == {"kind": "SenderError", "message": f"no room {rooms}"}
    assert "nowhere" in seen["unknown"]


def test_a_database_that_is_not_there_refuses_it_at_once(scripts: Path, engine: Server) -> None:
    done = client(scripts, engine.url, "nowhere", {})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "connecting: Received network error or non-101 status code.\n"
