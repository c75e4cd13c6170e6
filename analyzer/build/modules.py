"""The test modules as WASM: built from `modules/` in a checkout, packed in an installed wheel."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

from analyzer.build.cache import PACKAGE, cache_dir, source_dir, source_key
from analyzer.build.cargo import cargo_build, path_remaps
from analyzer.errors import BuildError

MODULES = ("lobby", "poker", "tournament")
_TARGET = "wasm32-unknown-unknown"
PACKED = PACKAGE / "wasm"


def module_wasm(name: str) -> Path:
    """The module's WASM file. Raises BuildError when it is not built yet."""
    for path in (_built(name), PACKED / f"{name}.wasm"):
        if path is not None and path.is_file():
            return path
    raise BuildError(f"module {name!r} is not built yet: run `stdb-sweep engine build`")


def module_sha256(name: str) -> str:
    return hashlib.sha256(module_wasm(name).read_bytes()).hexdigest()


def build_modules() -> list[Path]:
    """Build every module whose sources have no WASM yet. Raises BuildError.

    The same sources give the same bytes on any path: folder names are mapped away.
    """
    source = source_dir("modules")
    paths = [path for name in MODULES if (path := _built(name)) is not None]
    if all(path.is_file() for path in paths):
        return paths or [module_wasm(name) for name in MODULES]
    home = cache_dir() / "modules"
    cargo_build(
        source,
        home / "target",
        home / "build.log",
        what="test modules",
        env={"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(path_remaps())},
        args=["--target", _TARGET],
    )
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        shutil.copy2(home / "target" / _TARGET / "release" / path.name, fresh)
        fresh.replace(path)
    return paths


def pack_modules() -> None:
    """Put the built modules where the wheel takes them from."""
    PACKED.mkdir(exist_ok=True)
    for path in build_modules():
        shutil.copy2(path, PACKED / path.name)


def _built(name: str) -> Path | None:
    """Where a checkout keeps the build of its present sources; None when installed."""
    source = source_dir("modules")
    if not (source / "Cargo.toml").is_file():
        return None
    return cache_dir() / "modules" / source_key(source) / f"{name}.wasm"


if __name__ == "__main__":
    pack_modules()
    print("\n".join(str(path) for path in sorted(PACKED.glob("*.wasm"))), file=sys.stderr)
