"""The embedded engine: built once from crates.io, kept in the user's cache."""

from __future__ import annotations

import re
from pathlib import Path

from analyzer.build.cache import cache_dir, source_dir, source_key
from analyzer.build.cargo import cargo_build
from analyzer.errors import BuildError

_EMPTY_ARCHIVE = "!<arch>\n"


def engine_path() -> Path:
    """Where the binary of these sources is, or will be after `build_engine`."""
    source = source_dir("engine")
    key = f"{engine_version(source)}-{source_key(source)}"
    return cache_dir() / "engine" / key / "stdb-engine"


def engine_binary() -> Path:
    """The built binary. Raises BuildError when there is none yet."""
    path = engine_path()
    if not path.is_file():
        raise BuildError(
            "the embedded engine is not built yet: run `stdb-sweep engine build` "
            "(once, about 15 minutes on two cores)"
        )
    return path


def engine_version(source: Path) -> str:
    """The version of `spacetimedb-core` that the lock file names."""
    lock = (source / "Cargo.lock").read_text(encoding="utf-8")
    match = re.search(r'name = "spacetimedb-core"\nversion = "([^"]+)"', lock)
    if match is None:
        raise BuildError(f"{source / 'Cargo.lock'} names no spacetimedb-core")
    return match[1]


def build_engine() -> Path:
    """Build when these sources have no binary yet. Returns its path; raises BuildError."""
    path = engine_path()
    if path.is_file():
        return path
    home = cache_dir() / "engine"
    archive = _no_v8(home)
    cargo_build(
        source_dir("engine"),
        home / "target",
        home / "build.log",
        what="engine",
        env={"RUSTY_V8_ARCHIVE": str(archive), "ENGINE_SOURCES": path.parent.name},
        args=[],
        keep={"release/stdb-engine": path},
    )
    return path


def _no_v8(home: Path) -> Path:
    """An empty archive in place of the V8 library, which only JavaScript modules need."""
    archive = home / "no-v8.a"
    if not archive.is_file():
        archive.parent.mkdir(parents=True, exist_ok=True)
        archive.write_text(_EMPTY_ARCHIVE, encoding="ascii")
    return archive
