from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.process import Engine

Start = Callable[..., Engine]


def run(binary: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([binary, *flags], capture_output=True, text=True, timeout=20)


def test_the_ready_line_tells_address_version_and_process(binary: Path, engine: Engine) -> None:
    version = run(binary, "--version").stdout.strip()
    assert set(engine.ready) == {"listen", "version", "pid"}
    assert engine.ready["version"] == version
    assert engine.ready["pid"] == engine.process.pid


def test_the_version_is_the_one_of_the_engine_crate(binary: Path) -> None:
    lock = (Path(__file__).parents[2] / "engine" / "Cargo.lock").read_text()
    locked = re.search(r'name = "spacetimedb-core"\nversion = "(.+)"', lock)
    assert locked is not None
    assert run(binary, "--version").stdout == locked[1] + "\n"


def test_help_has_a_sentence_for_every_flag(binary: Path) -> None:
    text = run(binary, "--help").stdout
    flags = re.findall(r"^  (--[a-z-]+).*\.", text, re.MULTILINE)
    assert {"--listen", "--ping-interval", "--idle-timeout", "--log", "--exit-with-stdin"} < set(
        flags
    )


@pytest.mark.parametrize("way", ["terminate", "close_stdin"])
def test_it_ends_cleanly_and_leaves_no_folder_behind(
    own_engine: Start, lobby: bytes, way: str
) -> None:
    engine = own_engine()
    with engine.client() as http:
        http.put("/v1/database/left-open", content=lobby).raise_for_status()
    assert list(engine.temporary.iterdir())
    getattr(engine, way)()
    assert engine.wait() == 0
    assert list(engine.temporary.iterdir()) == []


def test_a_killed_engine_is_cleaned_up_after_by_the_next(own_engine: Start) -> None:
    killed = own_engine()
    (left,) = killed.temporary.iterdir()
    killed.kill()
    next_one = own_engine()
    assert left not in next_one.temporary.iterdir()
    beside = own_engine()
    assert len(list(beside.temporary.iterdir())) == 2


@pytest.mark.parametrize("address", ["0.0.0.0:0", "192.168.1.1:3000", "[::]:0", "localhost", "x"])
def test_only_loopback_addresses_are_served(binary: Path, address: str) -> None:
    refused = run(binary, "--listen", address)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1
    assert address in refused.stderr


def test_a_taken_port_is_named_in_one_line(binary: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        refused = run(binary, "--listen", address)
    assert refused.returncode == 1
    assert len(refused.stderr.splitlines()) == 1
    assert address in refused.stderr


@pytest.mark.parametrize(
    "flags",
    [
        ["--listen"],
        ["--nope"],
        ["--idle-timeout", "soon"],
        ["--ping-interval=0"],
        ["--ping-interval=31"],
    ],
)
def test_flags_it_cannot_use_end_with_2(binary: Path, flags: list[str]) -> None:
    refused = run(binary, *flags)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1


def test_nothing_is_logged_when_all_is_well(own_engine: Start, lobby: bytes) -> None:
    engine = own_engine()
    with engine.client() as http:
        http.put("/v1/database/quiet", content=lobby).raise_for_status()
        http.post("/v1/database/quiet/call/seed_rooms", json=[8]).raise_for_status()
    engine.terminate()
    assert engine.wait() == 0
    assert engine.log.read_text() == ""
