"""The folder of a run: made, held by one sweep at a time, written to whole, left tidy."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

from analyzer.errors import RunError

JOURNAL = "databases.txt"
SERVER_LOG = "server.log"


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Tell a full or read-only disk in one line. Raises RunError with the path."""
    try:
        yield
    except OSError as error:
        raise RunError(f"cannot write to {path}: {error.strerror}") from None


@contextlib.contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep every other sweep out of the run directory `path`, until this process ends at most.

    Raises RunError when another one is in it.
    """
    with writing(path):
        folder = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"another sweep is writing to {path}: use another --out") from None
        yield
    finally:
        os.close(folder)


def new_run_path(root: Path, scenario: str) -> Path:
    """Make the folder `root/<date>-<scenario>`, numbered from the second of a day on."""
    stem = f"{datetime.date.today().isoformat()}-{scenario}"
    for number in itertools.count(1):
        path = root / (stem if number == 1 else f"{stem}-{number}")
        with writing(path), contextlib.suppress(FileExistsError):
            path.mkdir(parents=True)
            break
    return path


def claim(path: Path) -> bool:
    """Whether a run lies in the folder `path`. Raises RunError when other things do.

    What a run that failed before its first cell left there is no stranger.
    """
    if (path / "manifest.json").is_file():
        return True
    strangers = [p.name for p in path.iterdir() if p.name not in {SERVER_LOG, JOURNAL}]
    if strangers:
        raise RunError(f"{path} holds other things ({strangers[0]}): use another --out")
    return False


def tidy(path: Path, *, leftovers: bool) -> None:
    """No empty log, no journal of a run that never began, no folder with nothing to tell."""
    # An error here would hide the one that ended the sweep.
    with contextlib.suppress(OSError):
        log = path / SERVER_LOG
        if log.is_file() and not log.stat().st_size:
            log.unlink()
        if not (path / "manifest.json").is_file() and not leftovers:
            (path / JOURNAL).unlink(missing_ok=True)
        if not any(path.iterdir()):
            path.rmdir()


def replace_text(path: Path, text: str) -> None:
    """Write whole or not at all."""
    fresh = path.with_name(path.name + ".new")
    with writing(path):
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
