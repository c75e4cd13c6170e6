"""Three ways to a server, each safe by default (pitfalls 14 and the house rules)."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from pathlib import Path

import pytest

from analyzer.build.engine import engine_binary
from analyzer.databases import Databases, leftovers, owner_token
from analyzer.errors import HttpError, RunError, TargetError, UsageError
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server, Target
from analyzer.target.remote import read_token
from analyzer.target.server import server_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
        ("127.0.0.1:3000/", "http://127.0.0.1:3000"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("http://127.9.9.9", "http://127.9.9.9"),
    ],
)
def test_a_loopback_url_is_taken(text: str, url: str) -> None:
    assert server_url(text, allow_remote=False) == url


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("http://10.0.0.1:3000", "--allow-remote"),
        ("https://example.com", "--allow-remote"),
        ("http://0.0.0.0:3000", "--allow-remote"),
        ("http://localhost.example.com", "--allow-remote"),
        ("http://127.0.0.1.example.com", "--allow-remote"),
        ("ftp://127.0.0.1", "write http"),
        ("http://127.0.0.1:99999", "65535"),
        ("http://me:hunter2@127.0.0.1:3000", "--token-file"),
        ("http://127.0.0.1:3000/v1/database", "only scheme"),
        ("", "write http"),
        ("http://[::1", "write http"),
    ],
)
def test_any_other_url_is_refused_with_what_to_do(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=told) as caught:
        server_url(text, allow_remote=False)
    assert "hunter2" not in str(caught.value)


def test_a_token_is_read_from_its_file_and_never_shown(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("abc.def.ghi\n")
    token = read_token(tmp_path / "token")
    assert token == "abc.def.ghi"
    assert "abc" not in repr(Server("http://127.0.0.1:1", "remote", "2", token=token))


@pytest.mark.parametrize(
    "content", [b"", b"two words", b"\xff\xfe", b"a\nb", b"a\x00b", b"a\x1b[0m", "a\u00e9".encode()]
)
def test_a_file_that_holds_no_token_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "token").write_bytes(content)
    with pytest.raises(UsageError, match="--token-file"):
        read_token(tmp_path / "token")


def test_the_engine_ends_with_its_context_and_leaves_no_process(tmp_path: Path) -> None:
    async def visit() -> int:
        async with Target().open(tmp_path / "log") as server:
            assert server.version == "2.14.0"
            assert server.pid is not None
            return server.pid

    pid = asyncio.run(visit())
    assert not Path(f"/proc/{pid}").exists()


def test_a_server_binary_is_started_with_a_throw_away_folder(tmp_path: Path) -> None:
    """The engine behind the flags of a standalone server: a real server, another front door."""
    shim = tmp_path / "spacetimedb-standalone"
    shim.write_text(
        f"#!{sys.executable}\n"
        "import os, sys\n"
        "words = sys.argv[1:]\n"
        "assert words[0] == 'start' and '--in-memory' in words and '--non-interactive' in words\n"
        "folder = words[words.index('--data-dir') + 1]\n"
        f"open({str(tmp_path / 'folder')!r}, 'w').write(folder)\n"
        f"engine = {str(engine_binary())!r}\n"
        "os.execv(engine, [engine, '--listen', words[words.index('--listen-addr') + 1]])\n"
    )
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)

    async def visit() -> tuple[str, int | None]:
        async with Target(binary=shim).open(tmp_path / "log") as server:
            assert server.kind == "binary"
            return server.version, server.pid

    version, pid = asyncio.run(visit())
    assert version == "2.14.0"
    assert not Path(f"/proc/{pid}").exists()
    assert not Path((tmp_path / "folder").read_text()).parent.exists()


def test_a_binary_that_is_no_server_is_told_with_its_last_words(tmp_path: Path) -> None:
    shim = tmp_path / "server"
    shim.write_text("#!/bin/sh\necho 'no such option: start' >&2\nexit 7\n")
    shim.chmod(0o755)

    async def visit() -> None:
        async with Target(binary=shim).open(tmp_path / "log"):
            pass

    with pytest.raises(TargetError, match=r"exit 7.*no such option") as caught:
        asyncio.run(visit())
    assert not hasattr(caught.value, "__notes__"), "its last words are told once"


def test_a_server_that_dies_of_what_it_warned_of_is_told_with_both(tmp_path: Path) -> None:
    shim = tmp_path / "server"
    shim.write_text(
        "#!/bin/sh\n"
        "echo '2026-12-01T17:40:37.373838Z  WARN host: mmap failed: Cannot allocate memory' >&2\n"
        "echo 'JavaScript modules need V8' >&2\nexit 7\n"
    )
    shim.chmod(0o755)

    async def visit() -> None:
        async with Target(binary=shim).open(tmp_path / "log"):
            pass

    told = "WARN host: mmap failed: Cannot allocate memory; JavaScript modules need V8"
    with pytest.raises(TargetError, match=told):
        asyncio.run(visit())


def test_a_database_is_deleted_even_when_the_work_on_it_fails(
    tmp_path: Path, engine: Server, lobby_wasm: bytes
) -> None:
    async def work() -> None:
        async with StdbHttp(engine.url, token=await owner_token(engine)) as http:
            databases = Databases(http, tmp_path / "journal")
            try:
                async with databases.fresh("test_arm", lobby_wasm) as database:
                    assert len(database) == 64
                    [name] = leftovers(tmp_path / "journal")
                    assert name.startswith("stdb-sweep-test-arm-")
                    raise RuntimeError
            except RuntimeError:
                pass
            with pytest.raises(HttpError) as caught:
                await http.schema(name)
            assert caught.value.status == 404

    asyncio.run(work())
    assert leftovers(tmp_path / "journal") == []


def test_what_a_killed_sweep_left_is_cleared_by_the_next_and_nothing_else_is(
    tmp_path: Path, engine: Server, lobby_wasm: bytes
) -> None:
    async def work() -> None:
        async with StdbHttp(engine.url, token=await owner_token(engine)) as http:
            await http.publish("stdb-sweep-left-behind", lobby_wasm)
            await http.publish("not-ours-at-all", lobby_wasm)
            (tmp_path / "journal").write_text(
                "created stdb-sweep-left-behind\ncreated not-ours-at-all\n"
                "created stdb-sweep-gone\ndeleted stdb-sweep-gone\n"
            )
            databases = Databases(http, tmp_path / "journal")
            assert await databases.clear_leftovers() == 1
            with pytest.raises(HttpError):
                await http.names("stdb-sweep-left-behind")
            assert await http.names("not-ours-at-all") == ["not-ours-at-all"]
            await http.delete("not-ours-at-all")

    asyncio.run(work())


def test_a_publish_that_fails_shows_the_servers_own_words(tmp_path: Path, engine: Server) -> None:
    async def work() -> None:
        async with (
            StdbHttp(engine.url, token=await owner_token(engine)) as http,
            Databases(http, tmp_path / "journal").fresh("x", b"no module"),
        ):
            pass

    with pytest.raises(HttpError, match="WebAssembly") as caught:
        asyncio.run(work())
    assert "\n" not in str(caught.value)


def test_the_owner_of_databases_on_a_running_server_is_kept_private(
    tmp_path: Path, engine: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STDB_SWEEP_CACHE", str(tmp_path))
    running = Server(engine.url, "remote", engine.version)
    first = asyncio.run(owner_token(running))
    assert asyncio.run(owner_token(running)) == first
    [kept] = (tmp_path / "owners").iterdir()
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600
    kept.write_text("a.stale.token")
    assert asyncio.run(owner_token(running)) not in {first, "a.stale.token"}


def test_owners_of_servers_that_do_not_come_again_are_forgotten(
    tmp_path: Path, engine: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STDB_SWEEP_CACHE", str(tmp_path))
    running = Server(engine.url, "remote", engine.version)
    token = asyncio.run(owner_token(running))
    [kept] = (tmp_path / "owners").iterdir()
    other = kept.with_name("http-127.0.0.1-1")
    for path in (kept, other):
        path.write_text(token)
        os.utime(path, (0, 0))
    assert asyncio.run(owner_token(running)) == token
    assert list((tmp_path / "owners").iterdir()) == [kept], "what is used is not old"


@pytest.mark.parametrize("content", [b"", b"\n", b"no token", b"\xff\xfe\x00"])
def test_a_kept_owner_that_was_cut_short_is_replaced(
    tmp_path: Path, engine: Server, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setenv("STDB_SWEEP_CACHE", str(tmp_path))
    running = Server(engine.url, "remote", engine.version)
    asyncio.run(owner_token(running))
    [kept] = (tmp_path / "owners").iterdir()
    kept.write_bytes(content)
    token = asyncio.run(owner_token(running))
    assert kept.read_text() == token
    assert kept.stat().st_mode & 0o777 == 0o600
    assert list((tmp_path / "owners").iterdir()) == [kept]


def test_a_cache_that_cannot_be_written_to_is_named(
    tmp_path: Path, engine: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "owners").write_text("a file where a folder must be")
    monkeypatch.setenv("STDB_SWEEP_CACHE", str(tmp_path))
    with pytest.raises(RunError, match=f"cannot write to {tmp_path}/owners/"):
        asyncio.run(owner_token(Server(engine.url, "remote", engine.version)))
