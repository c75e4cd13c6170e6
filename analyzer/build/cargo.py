"""Runs cargo with progress on stderr and the whole output in a log."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from analyzer.errors import BuildError

RUST = "1.97.0"
INSTALL = f"rustup toolchain install {RUST} --profile minimal --target wasm32-unknown-unknown"
_BAR = re.compile(r"\] (\d+)/(\d+)")


def cargo_build(
    source: Path,
    target: Path,
    log: Path,
    *,
    what: str,
    env: Mapping[str, str],
    args: Sequence[str],
    keep: Mapping[str, Path],
) -> None:
    """Build the workspace in `source` into `target`, locked to its Cargo.lock.

    `keep` says where to copy what was built: file under `target` -> place. An interrupted build
    goes on where it stopped; builds into one `target` wait for each other. Raises BuildError with
    the compiler's first error, and names the log.
    """
    target.mkdir(parents=True, exist_ok=True)
    with (target / "stdb-sweep.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _run(source, target, log, what, env, args)
        for built, place in keep.items():
            place.parent.mkdir(parents=True, exist_ok=True)
            fresh = place.with_suffix(".new")
            shutil.copy2(target / built, fresh)
            fresh.replace(place)


def _run(
    source: Path, target: Path, log: Path, what: str, env: Mapping[str, str], args: Sequence[str]
) -> None:
    command = [*_cargo(), "build", "--release", "--locked", *args]
    log.parent.mkdir(parents=True, exist_ok=True)
    # Flags of the user's shell would rebuild everything, or build something else.
    inherited = {k: v for k, v in os.environ.items() if k != "CARGO_ENCODED_RUSTFLAGS"}
    inherited.pop("RUSTFLAGS", None)
    settings = {
        "CARGO_TARGET_DIR": str(target),
        "CARGO_TERM_PROGRESS_WHEN": "always",
        "CARGO_TERM_PROGRESS_WIDTH": "80",
        "CARGO_TERM_COLOR": "never",
    }
    with (
        log.open("w", encoding="utf-8") as lines,
        subprocess.Popen(
            command,
            cwd=source,
            env=inherited | settings | dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stderr is not None
        try:
            _follow(process.stderr, lines, what)
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise BuildError(f"building the {what} failed: {_first_error(log)} (log: {log})")


def _cargo() -> list[str]:
    """The command that is cargo of Rust 1.97 or newer."""
    if shutil.which("rustup") and _answers(["rustup", "run", RUST, "cargo", "--version"]):
        return ["rustup", "run", RUST, "cargo"]
    if not shutil.which("cargo"):
        raise BuildError(
            f"cargo is not installed: install rustup (https://rustup.rs), then run `{INSTALL}`"
        )
    found = _answers(["cargo", "--version"]) or "unknown"
    if match := re.search(r"(\d+)\.(\d+)", found):
        wanted = tuple(int(part) for part in RUST.split(".")[:2])
        if (int(match[1]), int(match[2])) >= wanted:
            return ["cargo"]
    raise BuildError(f"Rust {RUST} is needed, this machine has {found}: run `{INSTALL}`")


def path_remaps() -> list[str]:
    """rustc flags that map this machine's folders away, so that equal sources give equal bytes."""
    cargo_home = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    rustc = [*_cargo()[:-1], "rustc"]
    sysroot = _answers([*rustc, "--print", "sysroot"])
    commit = re.search(r"commit-hash: (\S+)", _answers([*rustc, "-vV"]) or "")
    if sysroot is None or commit is None:
        raise BuildError("rustc does not tell its version: is the Rust toolchain whole?")
    remaps = {cargo_home: "/cargo", f"{sysroot}/lib/rustlib/src/rust": f"/rustc/{commit[1]}"}
    return [f"--remap-path-prefix={old}={new}" for old, new in remaps.items()]


def _answers(command: Sequence[str]) -> str | None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def _follow(stream: IO[bytes], log: IO[str], what: str) -> None:
    """Copy cargo's output to the log; show its own counter, rarely when nobody looks."""
    started = time.monotonic()
    interval = 0.2 if sys.stderr.isatty() else 30.0
    shown = started - interval + min(interval, 2.0)
    for piece in _pieces(stream):
        bar = _BAR.search(piece)
        if bar is None:
            log.write(piece + "\n")
            log.flush()
            continue
        now = time.monotonic()
        if now - shown < interval:
            continue
        shown = now
        text = f"building the {what}: {bar[1]} of {bar[2]} crates, {now - started:.0f} s"
        print(
            f"\r{text}" if sys.stderr.isatty() else text,
            file=sys.stderr,
            flush=True,
            end="" if sys.stderr.isatty() else "\n",
        )
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _pieces(stream: IO[bytes]) -> Iterator[str]:
    """Lines of a stream whose progress bar ends in carriage returns."""
    rest = b""
    while block := os.read(stream.fileno(), 65536):
        *whole, rest = re.split(rb"[\r\n]+", rest + block)
        yield from (piece.decode(errors="replace").rstrip() for piece in whole if piece.strip())
    if rest.strip():
        yield rest.decode(errors="replace").rstrip()


def _first_error(log: Path) -> str:
    lines = log.read_text(encoding="utf-8").splitlines()
    errors = (line for line in lines if line.startswith("error"))
    return next(errors, lines[-1] if lines else "no output").strip()
