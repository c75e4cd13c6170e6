"""The test modules as WASM: built from their sources, or packed in an installed wheel."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from analyzer.build.cache import PACKAGE, cache_dir, is_checkout, source_dir, source_key
from analyzer.build.cargo import cargo_build, path_remaps
from analyzer.errors import BuildError

MODULES = ("dashboard", "lobby", "poker", "tournament", "transfer")
_TARGET = "wasm32-unknown-unknown"
PACKED = PACKAGE / "wasm"


def module_wasm(name: str) -> Path:
    """The module's WASM file. Raises BuildError when it is not built yet."""
    packed = PACKED / f"{name}.wasm"
    if packed.is_file() and not is_checkout():
        return packed
    path = cache_dir() / "modules" / source_key(source_dir("modules")) / f"{name}.wasm"
    if not path.is_file():
        raise BuildError(f"module {name!r} is not built yet: run `stdb-sweep engine build`")
    return path


def build_modules() -> list[Path]:
    """Build the test modules, unless they came packed in a wheel. Raises BuildError."""
    packed = [PACKED / f"{name}.wasm" for name in MODULES]
    if all(path.is_file() for path in packed) and not is_checkout():
        return packed
    return build_workspace(source_dir("modules"), MODULES)


def build_workspace(source: Path, names: Sequence[str]) -> list[Path]:
    """Build a Cargo workspace of modules, unless these sources have their WASM already.

    The same sources give the same bytes on any path: folder names are mapped away. Raises
    BuildError.
    """
    home = cache_dir() / "modules"
    paths = [home / source_key(source) / f"{name}.wasm" for name in names]
    if all(path.is_file() for path in paths):
        return paths
    # Checkouts share a target folder, where cargo goes by dates: those of another must not count.
    for file in source.rglob("*.rs"):
        file.touch()
    cargo_build(
        source,
        home / "target",
        home / "build.log",
        what="test modules",
        env={"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(path_remaps())},
        args=["--target", _TARGET],
        keep={f"{_TARGET}/release/{path.name}": path for path in paths},
    )
    return paths


def pack_modules() -> None:
    """Put the built modules where the wheel takes them from."""
    PACKED.mkdir(exist_ok=True)
    for path in build_modules():
        shutil.copy2(path, PACKED / path.name)


if __name__ == "__main__":
    pack_modules()
    print("\n".join(str(path) for path in sorted(PACKED.glob("*.wasm"))), file=sys.stderr)
