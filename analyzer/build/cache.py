"""Where built things live, and the key that tells whether they are still the right ones."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from platformdirs import user_cache_path

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parent
RUST = frozenset({".rs", ".toml", ".lock"})
BUILT = frozenset({"target", "node_modules", "dist"})


def cache_dir() -> Path:
    """The user's cache folder; `STDB_SWEEP_CACHE` moves it."""
    moved = os.environ.get("STDB_SWEEP_CACHE")
    return Path(moved) if moved else user_cache_path("stdb-sweep")


def source_dir(name: str) -> Path:
    """`engine`, `modules`, `sweeps`: beside the package in a checkout, inside when installed."""
    return (CHECKOUT if is_checkout() else PACKAGE / "data") / name


def is_checkout() -> bool:
    return (CHECKOUT / "modules" / "Cargo.toml").is_file()


def source_key(root: Path, suffixes: frozenset[str] = RUST) -> str:
    """First 12 hex digits of a SHA-256 over every source, manifest and lock file under `root`."""
    digest = hashlib.sha256()
    for path in sorted(_sources(root, suffixes)):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _sources(root: Path, suffixes: frozenset[str]) -> Iterable[Path]:
    for path in root.rglob("*"):
        inside = path.relative_to(root).parts
        if not BUILT.isdisjoint(inside) or not path.is_file():
            continue
        if path.suffix in suffixes:
            yield path
