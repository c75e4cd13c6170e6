"""Sweep files: the flags of a sweep or an experiment in TOML, and designs of one's own module."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analyzer.build.cache import source_dir
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


def read_sweep_file(path: Path, known: Collection[str]) -> SweepFile:
    """Read a sweep file whose keys are among `known`; `module` is relative to its folder.

    Ours are found from any folder, see `_located`. Raises UsageError for a file that is no TOML,
    and for an unknown key with the nearest one.
    """
    path = _located(path)
    text, document = _read(path)
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


def experiment_of(path: Path, known: Collection[str]) -> str | None:
    """Which of the `known` experiments the file is for; None for a sweep.

    Raises UsageError for a file that is no TOML, and for an experiment that is not known.
    """
    name = _read(_located(path))[1].get("experiment")
    if name is not None and name not in known:
        raise UsageError(f"{path}: no experiment {name!r}: {nearest(str(name), known)}")
    return name


def _located(path: Path) -> Path:
    """A file of ours is found from any folder, as `sweeps/lobby.toml` and by its name, `lobby`."""
    ours = {file.stem: file for file in sorted(source_dir("sweeps").glob("*.toml"))}
    plain = path.name == str(path) and not path.suffix
    if path.is_file() or not (plain or path.parent == Path("sweeps")):
        return path
    if plain and path.name not in ours:
        raise UsageError(f"there is no file {path}, and none of ours: {', '.join(ours)}")
    return ours.get(path.stem, path)


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
        return text, tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} is no TOML: {error}") from None
