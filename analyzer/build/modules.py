"""The test modules as WASM: built from `modules/` in a checkout, packed in an installed wheel."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from analyzer.build.cache import PACKAGE, cache_dir, source_dir, source_key
from analyzer.build.cargo import cargo_build, path_remaps
from analyzer.errors import BuildError

MODULES = ("dashboard", "lobby", "poker", "tournament", "transfer")
_TARGET = "wasm32-unknown-unknown"
PACKED = PACKAGE / "wasm"


def module_wasm(name: str) -> Path:
    """The module's WASM file. Raises BuildError when it is not built yet."""
    for path in (_built(name), PACKED / f"{name}.wasm"):
        if path is not None and path.is_file():
            return path
    raise BuildError(f"module {name!r} is not built yet: run `stdb-sweep engine build`")


def build_modules() -> list[Path]:
    """Build the test modules in a checkout; an installed wheel has them. Raises BuildError."""
    source = source_dir("modules")
    if source.is_relative_to(PACKAGE):
        return [module_wasm(name) for name in MODULES]
    return build_workspace(source, MODULES)


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


def _built(name: str) -> Path | None:
    """Where a checkout keeps the build of its present sources; None when installed."""
    source = source_dir("modules")
    if source.is_relative_to(PACKAGE):
        return None
    return cache_dir() / "modules" / source_key(source) / f"{name}.wasm"


if __name__ == "__main__":
    pack_modules()
    print("\n".join(str(path) for path in sorted(PACKED.glob("*.wasm"))), file=sys.stderr)
