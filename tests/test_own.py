"""A module of the user's own: measured from flags or a sweep file, its laws learned, and safe."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pandas as pd
import pytest

from analyzer.target import Server
from tests.command import error_line, stdb_sweep

BID = 'bid({i}, {"raise": 5, "currency": {"gold": []}}, null)'
QUICK = ("--repeats", "1", "--windows", "1", "--writes", "4", "--out", "run")


def laws(run: Path) -> dict[tuple[str, str], str]:
    found = json.loads((run / "laws.json").read_text())
    return {(law["arm"], law["count"]): law["formula"] for law in found if law["exact"]}


@pytest.fixture(scope="module")
def designs(tmp_path_factory: pytest.TempPathFactory, strange_modules: dict[str, Path]) -> Path:
    """The auction's own sweep file, run beside its module with one flag over it."""
    folder = tmp_path_factory.mktemp("auction")
    shutil.copy(strange_modules["auction"], folder / "auction.wasm")
    shutil.copy(Path(__file__).parent / "modules/auction/auction.toml", folder)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    done = stdb_sweep(
        "run", folder / "auction.toml", "--rows", "4,12", "--out", folder / "run", cwd=elsewhere
    )
    assert done.returncode == 0, done.stderr
    return folder / "run"


def test_the_laws_of_a_strange_module_are_learned(designs: Path) -> None:
    found = laws(designs)
    assert found["per_sender", "index_seeks"] == "4*S+1"
    assert found["per_sender", "rows_scanned"] == "S*R+1"
    assert found["shared", "view_calls"] == "1 (S > 0), 0 (S = 0)"


def test_each_client_makes_its_own_call_before_it_subscribes(designs: Path) -> None:
    """Client c watches lot c: of four writes to lots 0 to 3, five clients see four in all."""
    cells = pd.read_csv(designs / "cells.csv")
    watched = cells[(cells["arm"] == "watched") & (cells["rows"] == 4) & (cells["clients"] == 2)]
    assert watched["deliveries"].item() == 0.5
    assert watched["view_calls"].item() == 0.5


def test_a_query_builder_view_of_ones_own_is_found_in_the_schema(designs: Path) -> None:
    cells = pd.read_csv(designs / "cells.csv")
    assert cells.loc[cells["arm"] == "query", "index_seeks"].isna().all()
    assert cells.loc[cells["arm"] == "shared", "index_seeks"].notna().all()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("report", "index seeks per write: 4*S+1; exact in all 6 cells (residual 0); declared law"),
        ("fit --arm shared", "own-auction / shared cost model: "),
        ("ceiling --budget 2ms", "Ceilings at 2 ms of lock per write arm rows clients"),
        ("review", "review of own-auction: S=5 clients, R=12 rows"),
    ],
)
def test_every_verb_reads_a_run_of_a_strange_module(designs: Path, words: str, told: str) -> None:
    verb, *more = words.split()
    done = stdb_sweep(verb, designs, *more, cwd=designs)
    assert done.returncode == 0, done.stderr
    assert told in " ".join(done.stdout.split())
    json.loads(stdb_sweep(verb, designs, *more, "--json", cwd=designs).stdout)


def test_the_sweep_file_is_in_the_manifest_and_flags_win(designs: Path) -> None:
    manifest = json.loads((designs / "manifest.json").read_text())
    assert manifest["sweep_file"]["name"] == "auction.toml"
    assert "rows = [4, 8]" in manifest["sweep_file"]["text"]
    assert manifest["plan"]["rows"] == [4, 12]
    assert manifest["plan"]["clients"] == [0, 2, 5]


def test_one_seek_more_per_room_is_void_and_the_difference_is_named(
    tmp_path: Path, strange_modules: dict[str, Path]
) -> None:
    done = stdb_sweep(
        "--module", strange_modules["wrong_lobby"], "--clients", "2", "--rows", "4",
        "--view", "active_game_per_sender", "--write", "settle_street({i})",
        "--seed-call", "seed_rooms({rows})", "--expect", "seeks=S*(4*R+1)+1", *QUICK,
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    told = "43 index seeks a write, expected 35 (+8: 1 for each client and row)"
    assert told in " ".join(done.stderr.split())
    cells = pd.read_csv(tmp_path / "run" / "cells.csv")
    assert list(cells["verdict"]) == ["ok", "void"]


@pytest.fixture
def own_database(engine: Server, strange_modules: dict[str, Path]) -> Iterator[str]:
    """A database that the tool did not make, with eight lots."""
    path = f"{engine.url}/v1/database/house-of-mine"
    with httpx.Client(trust_env=False) as http:
        token = http.post(f"{engine.url}/v1/identity").json()["token"]
        owner = {"Authorization": f"Bearer {token}"}
        wasm = strange_modules["auction"].read_bytes()
        http.put(path, content=wasm, headers=owner).raise_for_status()
        http.post(f"{path}/call/stock", json=[8], headers=owner).raise_for_status()
        yield "house-of-mine"
        assert http.get(path).status_code == 200, "the sweep deleted a database of the user's"
        http.delete(path, headers=owner)


def test_a_database_that_exists_is_measured_as_it_is_and_stays(
    tmp_path: Path, engine: Server, own_database: str
) -> None:
    done = stdb_sweep(
        "--server", engine.url, "--database", own_database, "--i-own-this-database", own_database,
        "--clients", "1,3", "--rows", "8", "--view", "front_page", "--view", "front_page_shared",
        "--write", BID, "--windows", "1", "--writes", "8", "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = laws(tmp_path / "run")
    assert found["front_page_front_page_shared", "view_calls"] == "S+1 (S > 0), 0 (S = 0)"
    assert not (tmp_path / "run" / "databases.txt").exists()


@pytest.mark.parametrize("word", [(), ("--i-own-this-database", "another")])
def test_a_database_of_the_users_is_not_touched_without_their_word(
    tmp_path: Path, engine: Server, own_database: str, word: tuple[str, ...]
) -> None:
    done = stdb_sweep(
        "--server", engine.url, "--database", own_database, *word, "--clients", "1",
        "--view", "front_page", "--write", BID, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert f"--i-own-this-database {own_database}" in error_line(done)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--view nowhere --write watch_lot({i})", "nowhere"),
        ("--view front_page --write sell({i})", "the database has no reducer 'sell': it has"),
        ("--view front_page --write watch_lot", "takes 1 arguments, 0 are given"),
        ("--view front_page --write watch_lot({i}) --client-call bid", "takes 3 arguments"),
    ],
)
def test_what_the_module_does_not_have_is_one_line(
    tmp_path: Path, strange_modules: dict[str, Path], arguments: str, told: str
) -> None:
    done = stdb_sweep(
        "--module", strange_modules["auction"], "--clients", "1", *arguments.split(), cwd=tmp_path
    )
    assert done.returncode in (1, 2)
    assert told in error_line(done)
