"""Sweep files: the flags of a sweep in TOML, and the view designs of a module of one's own."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer.build.cache import CHECKOUT, PACKAGE
from analyzer.errors import UsageError
from analyzer.own import nearest

_SPOKEN = ("allow_remote", "i_own_this_database")
"""A promise is made by who runs the sweep, not by a file from somewhere."""


@dataclass(frozen=True, slots=True)
class SweepFile:
    flags: dict[str, Any]
    """Values by the name of their flag: what a list flag takes is one text with commas."""
    arms: tuple[dict[str, Any], ...]
    """The `[[arm]]` tables."""
    echo: dict[str, Any]
    """Name and text, for the manifest."""


def packed_sweeps() -> dict[str, Path]:
    """The sweep files that come with the tool, by name: beside the package, or inside a wheel."""
    found = (folder.glob("*.toml") for folder in (CHECKOUT / "sweeps", PACKAGE / "data" / "sweeps"))
    return {path.stem: path for path in sorted(itertools.chain(*found))}


def read_sweep_file(path: Path, known: Collection[str]) -> SweepFile:
    """Read a sweep file whose keys are among `known`; `module` is relative to its folder.

    A plain name without such a file here is one of `packed_sweeps`. Raises UsageError for a file
    that is no TOML, and for an unknown key with the nearest one.
    """
    if not path.exists() and path.name == str(path):
        packed = packed_sweeps()
        if path.stem not in packed:
            names = ", ".join(packed)
            raise UsageError(f"there is no file {path}, and no such sweep in the tool: {names}")
        path = packed[path.stem]
    try:
        text = path.read_text(encoding="utf-8")
        document = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} is no TOML: {error}") from None
    arms = document.pop("arm", [])
    if not (isinstance(arms, list) and all(isinstance(arm, dict) for arm in arms)):
        raise UsageError(f"{path}: write each arm as a table of its own, [[arm]]")
    flags: dict[str, Any] = {}
    for key, value in document.items():
        if key in _SPOKEN:
            flag = key.replace("_", "-")
            raise UsageError(f"{path}: {key} is said on the command line: --{flag}")
        if key not in known:
            raise UsageError(f"{path}: unknown key {key!r}: {nearest(key, {*known, 'arm'})}")
        if key in ("views", "expect"):
            flags[key] = value if isinstance(value, list) else [str(value)]
        else:
            flags[key] = ",".join(map(str, value)) if isinstance(value, list) else value
    if "module" in flags:
        flags["module"] = str(path.parent / flags["module"])
    return SweepFile(flags, tuple(arms), {"name": path.name, "text": text})
