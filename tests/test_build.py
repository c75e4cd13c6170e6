"""What is built, when it is built again, and what a missing tool is told as."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from analyzer.build import cache, cargo, modules
from analyzer.build.cache import cache_dir, source_dir, source_key
from analyzer.build.engine import build_engine, engine_path, engine_version
from analyzer.build.modules import MODULES, build_modules, module_wasm
from analyzer.errors import BuildError


def test_the_key_changes_with_a_source_and_not_with_its_place(tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere"
    shutil.copytree(source_dir("modules"), copy, ignore=shutil.ignore_patterns("target"))
    assert source_key(copy) == source_key(source_dir("modules"))
    lobby = copy / "lobby" / "src" / "lib.rs"
    lobby.write_text(lobby.read_text() + "// changed\n")
    assert source_key(copy) != source_key(source_dir("modules"))


def test_a_built_engine_is_found_and_not_built_again() -> None:
    assert build_engine() == engine_path()
    assert engine_path().is_relative_to(cache_dir())
    assert engine_version(source_dir("engine")) == "2.14.0"
    assert engine_path().parent.name.startswith("2.14.0-")


def test_built_modules_are_found_and_hold_no_path_of_this_machine() -> None:
    home = str(Path.home()).encode()
    for path in build_modules():
        assert path.read_bytes()[:4] == b"\0asm"
        assert home not in path.read_bytes()


@pytest.mark.parametrize(
    ("checkout", "packed", "taken"),
    [(False, True, "packed"), (False, False, "built"), (True, True, "built")],
)
def test_an_installed_wheel_takes_its_packed_modules_and_a_checkout_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: bool, packed: bool, taken: str
) -> None:
    home = tmp_path if checkout else tmp_path / "analyzer" / "data"
    shutil.copytree(source_dir("modules"), home / "modules")
    built = cache_dir() / "modules" / source_key(home / "modules") / "lobby.wasm"
    monkeypatch.setattr(cache, "CHECKOUT", tmp_path)
    monkeypatch.setattr(cache, "PACKAGE", tmp_path / "analyzer")
    monkeypatch.setattr(modules, "PACKED", tmp_path / "wasm")
    if packed:
        (tmp_path / "wasm").mkdir()
        for name in MODULES:
            (tmp_path / "wasm" / f"{name}.wasm").touch()
    wanted = tmp_path / "wasm" / "lobby.wasm" if taken == "packed" else built
    assert module_wasm("lobby") == wanted
    assert wanted in build_modules()


def _tool(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def _build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    log = tmp_path / "build.log"
    cargo.cargo_build(tmp_path, tmp_path / "target", log, what="engine", env={}, args=[], keep={})
    return log


def test_no_cargo_at_all_is_told_with_the_command_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BuildError, match=r"cargo is not installed.*rustup toolchain install"):
        _build(tmp_path, monkeypatch)


def test_an_old_cargo_is_told_with_both_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tool(tmp_path, "cargo", "echo 'cargo 1.80.0 (abc 2024-07-01)'")
    with pytest.raises(BuildError, match=r"Rust 1\.97\.0 is needed.*cargo 1\.80\.0"):
        _build(tmp_path, monkeypatch)


def test_a_failing_build_names_its_first_error_and_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _tool(
        tmp_path,
        "cargo",
        '[ "$1" = --version ] && echo "cargo 1.99.0" && exit 0\n'
        "printf '   Compiling a v1\\r    Building [=> ] 3/590: a\\r' >&2\n"
        "printf 'error: linker not found\\nerror: aborting\\n' >&2; exit 101",
    )
    with pytest.raises(BuildError, match=r"error: linker not found \(log: .*build\.log\)"):
        _build(tmp_path, monkeypatch)
    assert "Compiling a v1" in (tmp_path / "build.log").read_text()


def test_the_engines_build_is_told_which_sources_it_builds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cargo compares dates only: it would take another checkout's build for this one's."""
    monkeypatch.setenv("STDB_SWEEP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    _tool(
        tmp_path,
        "cargo",
        '[ "$1" = --version ] && echo "cargo 1.99.0" && exit 0\n'
        'echo "sources=[$ENGINE_SOURCES]" >&2; exit 101',
    )
    with pytest.raises(BuildError):
        build_engine()
    log = tmp_path / "cache" / "engine" / "build.log"
    assert f"sources=[{engine_path().parent.name}]" in log.read_text()


def test_flags_of_the_users_shell_do_not_reach_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSTFLAGS", "-C target-cpu=native")
    _tool(
        tmp_path,
        "cargo",
        '[ "$1" = --version ] && echo "cargo 1.99.0" && exit 0\necho "flags=[$RUSTFLAGS]" >&2',
    )
    assert "flags=[]" in _build(tmp_path, monkeypatch).read_text()
    assert os.environ["RUSTFLAGS"] == "-C target-cpu=native"
