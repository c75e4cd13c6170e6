"""Every command of the pages is run on the embedded engine, at sizes that take a moment."""

from __future__ import annotations

import asyncio
import itertools
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.build.cache import CHECKOUT
from analyzer.build.modules import module_wasm
from analyzer.cli import main
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server
from tests.docs.pages import PAGES, blocks, commands, hidden_commands

NOT_RUN = {
    "make": "sets up and runs these very tests; `make wheel` is what test_packaging does",
    "pip": "fetches packages; test_packaging installs the wheel",
    ". .venv/bin/activate": "the commands here are those of the environment that runs the tests",
    "jupyter": "opens a browser; test_notebooks executes what it shows",
    "jupytext": "writes into the checkout; test_notebooks checks that there is nothing to write",
    "verify": "measures as many clients as the ceilings say; test_verify does",
    "--server-bin": "needs a server binary of the user's",
    "--allow-remote": "needs a server on another machine",
}
"""How a command begins, or a flag in it, and why it is not run."""

SMALL = {
    "residue": "--clients 2 --rooms 3 --leave-min 0.05 --every 1s --expire-now",
    "residue --churn": "--clients 2 --rooms 2 --churn 60 --minutes 0.1 --every 0.7s",
    "tables": "--tables 1,2 --clock 1s --watch 1s --repeats 1",
    "dashboard": "--dashboards 0,1 --rooms 3 --every 1s --rounds 1",
    "transport": "--accounts 50 --calls 64 --warmup 64 --runs 1",
}
"""What is put behind an experiment's own flags; of a flag that is there twice the last counts."""

SWEEP = "--clients 1,2 --repeats 1 --windows 1 --writes 3"
ROW_FLAGS = {
    "--entrants": "--entrants",
    "tournament": "--entrants",
    "--module": "--rows",
    "--database": "--rows",
    "auction": "--rows",
    "view-costs": "--rows",
    "--rooms": "--rooms",
    "lobby": "--rooms",
}
"""The row axis of a sweep by a word in its command."""

STAND_INS = {
    "rooms": "active_game_anonymous",
    "move({i})": "settle_street({i})",
    "fill({rows})": "seed_rooms({rows})",
    "RUN": "runs/new",
    "BASE": "runs/old",
    "NEW": "runs/new",
}
"""Names of the reader's module and runs, and what stands in for them."""


def reason_not_to_run(command: str) -> str | None:
    words = shlex.split(command, comments=True)
    return next(
        (why for what, why in NOT_RUN.items() if what in words or command.startswith(what)), None
    )


def small(command: str) -> list[str]:
    """The arguments of a `stdb-sweep` command at sizes that take a moment."""
    first, *args = shlex.split(command, comments=True)
    assert first == "stdb-sweep", f"{command!r} is neither ours nor listed in NOT_RUN"
    verb = Path(args[1]).stem if args[0] == "run" and Path(args[1]).stem in SMALL else args[0]
    if verb in SMALL:
        return [*args, *SMALL[f"{verb} --churn" if "--churn" in args else verb].split()]
    measures = verb.startswith("--") or verb == "run" or (
        verb == "review" and not args[1].startswith("runs/")
    )  # fmt: skip
    if not measures:
        return args
    flag = next(flag for word, flag in ROW_FLAGS.items() if any(word in arg for arg in args))
    # What has a name of its own is fitted afterwards, which takes two row counts.
    size = [*SWEEP.split(), flag, "4,8" if "--out" in args else "4"]
    if flag == "--rooms" and "--arms" not in args:
        size += ["--arms", "per_sender,anonymous"]
    return [*args, *size]


@pytest.fixture(scope="module")
def desk(
    tmp_path_factory: pytest.TempPathFactory, engine: Server, strange_modules: dict[str, Path]
) -> Iterator[Path]:
    """A folder with all that the pages speak of, and the reader's own database on the engine."""
    folder = tmp_path_factory.mktemp("desk")
    for name in ("sweeps", "data"):
        (folder / name).symlink_to(CHECKOUT / name)
    for name in ("2026-12-01-lobby", "old", "new"):
        shutil.copytree(CHECKOUT / "data" / "runs" / "lobby", folder / "runs" / name)
    shutil.copytree(CHECKOUT / "docs" / "ci", folder / "ci")
    built = folder / "target/wasm32-unknown-unknown/release"
    built.mkdir(parents=True)
    shutil.copy(module_wasm("lobby"), built / "my_module.wasm")
    shutil.copy(CHECKOUT / "tests/model/data/lobby-per-sender-800.csv", folder / "costs.csv")
    shutil.copy(strange_modules["auction"], folder / "auction.wasm")
    shutil.copy(module_wasm("lobby"), folder / "my.wasm")
    for page in PAGES:
        for block in blocks(page):
            if block.title:
                (folder / block.title).write_text(block.text)

    async def publish() -> str:
        async with StdbHttp(engine.url) as http:
            owner = (await http.new_identity()).token
        async with StdbHttp(engine.url, owner) as http:
            await http.publish("my-database", module_wasm("lobby").read_bytes())
            await http.call("my-database", "seed_rooms", [8])
        return owner

    async def delete(owner: str) -> None:
        async with StdbHttp(engine.url, owner) as http:
            await http.delete("my-database")

    owner = asyncio.run(publish())
    (folder / "owner.token").write_text(owner)
    yield folder
    asyncio.run(delete(owner))


def _meaning(args: list[str]) -> frozenset[tuple[str, str]]:
    """Equal for commands that do the same: verb and object, and each flag with its last value."""
    flags = {
        flag: value for flag, value in itertools.pairwise([*args, ""]) if flag.startswith("--")
    }
    verb = itertools.takewhile(lambda arg: not arg.startswith("--"), args)
    return frozenset({"": " ".join(verb), **flags}.items())


def _on(desk: Path, engine: Server, args: list[str]) -> list[str]:
    """Arguments with this desk's run directories and this engine's address."""
    placed = []
    for arg in args:
        arg = STAND_INS.get(arg, arg).replace("http://127.0.0.1:3000", engine.url)
        if arg.startswith("runs/") and not (desk / arg).exists() and "--out" not in args:
            kind = arg.rpartition("-")[2]
            arg = str(max(desk.glob(f"runs/*-{kind}"), key=lambda path: path.stat().st_mtime))
        placed.append(arg)
    return placed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_every_command_of_a_page_does_what_it_says(
    page: Path,
    desk: Path,
    engine: Server,
    done: set[frozenset[tuple[str, str]]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(desk)
    for command in commands(page):
        if reason_not_to_run(command):
            continue
        args = small(command)
        if _meaning(args) in done:
            continue
        done.add(_meaning(args))
        monkeypatch.setattr(sys, "argv", ["stdb-sweep", *_on(desk, engine, args)])
        with pytest.raises(SystemExit) as ended:
            main()
        # A busy machine sends a paced write late, and then its cell is void.
        allowed = (0, None, 3) if "--rate" in args else (0, None)
        told = capsys.readouterr().err
        assert ended.value.code in allowed, f"{command}\n{args}\n{told}"
    for block in blocks(page):
        if block.language == "python":
            subprocess.run([sys.executable, "-c", block.text], cwd=desk, check=True, timeout=300)


@pytest.fixture(scope="module")
def done() -> set[frozenset[tuple[str, str]]]:
    """Commands that an earlier page has had run."""
    return set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(CHECKOUT)))
def test_no_command_hides_in_a_block_that_is_not_run(page: Path) -> None:
    assert hidden_commands(page) == []


def test_every_reason_not_to_run_a_command_is_of_use() -> None:
    told = {reason_not_to_run(command) for page in PAGES for command in commands(page)}
    assert set(NOT_RUN.values()) == told - {None}
