"""What a window must not show reaches the ledger, voids the cell and ends the sweep with 3.

The engine cannot be made to lose an update or to send one twice: a proxy before it does.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import httpx
import pytest

from analyzer.build.modules import module_wasm
from analyzer.store import load_run
from analyzer.target import Server
from tests.command import error_line, stdb_sweep
from tests.proxy import RESULT, UPDATE, Cut, proxy

ONE = ("--repeats", "1", "--windows", "1", "--out", "run")


def reasons(run: Path) -> dict[tuple[int, bool], tuple[str, ...]]:
    """By the number of clients and whether it is the drift control."""
    return {(o.clients, o.control): o.reasons for o in load_run(run).observations}


class Faults:
    """One in each step of a sweep of 0, 2, 3 and 4 clients, and a late warm-up in its control.

    WebSockets 0 and 1 are the preflight's; 2 is the writer, 3 to 6 are the clients in the order
    of joining; 7 is the control's writer, 8 and 9 are its clients.
    """

    def __init__(self, engine_url: str, journal: Path) -> None:
        self._url = engine_url
        self._journal = journal
        self._seen: Counter[tuple[int, str]] = Counter()

    async def relay(self, socket: int, message: bytes) -> list[bytes]:
        kind = {RESULT: "result", UPDATE: "update"}.get(message[:2], "other")
        self._seen[socket, kind] += 1
        match socket, kind, self._seen[socket, kind]:
            case 2, "result", 4:  # after the seed, the warm-up and one write
                await self._write_as_another()
            case 3, "update", 3:  # after the warm-up and one write
                return []
            case 5, "update", 3:
                return [message, message]
            case 6, "update", 3:
                raise Cut
            case 8, "update", 1:
                await asyncio.sleep(0.3)
        return [message]

    async def _write_as_another(self) -> None:
        database = self._journal.read_text().split()[-1]
        url = f"{self._url}/v1/database/{database}/call/settle_street"
        async with httpx.AsyncClient(trust_env=False) as http:
            (await http.post(url, json=[0])).raise_for_status()


@pytest.fixture(scope="module")
def faulty(
    tmp_path_factory: pytest.TempPathFactory, engine: Server
) -> tuple[int, str, dict[tuple[int, bool], tuple[str, ...]]]:
    folder = tmp_path_factory.mktemp("void")
    faults = Faults(engine.url, folder / "run" / "databases.txt")
    with proxy(engine.url, relay=faults.relay) as url:
        done = stdb_sweep(
            "--server", url, "--clients", "2,3,4", "--rooms", "2", "--arms", "per_sender",
            "--warmup", "1", "--writes", "4", *ONE, cwd=folder,
        )  # fmt: skip
    return done.returncode, error_line(done), reasons(folder / "run")


def test_another_writer_on_the_database_voids(faulty: tuple) -> None:
    [reason] = faulty[2][0, False]
    assert reason == "5 committed, 4 acknowledged: another writer is on this database"


def test_an_update_that_one_client_never_gets_voids(faulty: tuple) -> None:
    [reason] = faulty[2][2, False]
    assert reason == "7 of 8 deliveries arrived (per client 3 to 4, expected 4)"


def test_an_update_that_comes_twice_voids(faulty: tuple) -> None:
    [reason] = faulty[2][3, False]
    assert reason == "13 of 12 deliveries arrived (per client 4 to 5, expected 4)"


def test_a_client_that_is_gone_voids(faulty: tuple) -> None:
    [reason] = faulty[2][4, False]
    assert reason.startswith("3 of 4 clients still connected")


def test_an_update_of_the_warm_up_that_comes_late_is_not_counted_in_the_window(
    faulty: tuple,
) -> None:
    assert faulty[2][2, True] == ()


def test_a_sweep_with_void_cells_ends_with_exit_3(faulty: tuple) -> None:
    assert faulty[0] == 3
    assert "void cells: 4 of 4" in faulty[1]


def test_writes_that_roll_back_void_the_cell_and_give_their_share(tmp_path: Path) -> None:
    """Two rooms are seeded and four are written to: each second write fails."""
    done = stdb_sweep(
        "--module", module_wasm("lobby"), "--clients", "2", "--rows", "4",
        "--view", "active_game_per_sender", "--seed-call", "seed_rooms(2)",
        "--write", "settle_street({i})", "--warmup", "4", "--writes", "4", *ONE, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    told = ("2 of 4 writes rolled back (50%): no cost from this cell",)
    assert set(reasons(tmp_path / "run").values()) == {told}


def test_a_rate_beyond_this_process_voids_and_names_the_generator(tmp_path: Path) -> None:
    """A thousand writes in 10 ms: no machine sends them from one loop."""
    done = stdb_sweep(
        "--clients", "1", "--rooms", "2", "--arms", "anonymous", "--rate", "1e5",
        "--writes", "1000", *ONE, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "at 100,000/s the windows take 0 s" in done.stderr
    for [reason] in reasons(tmp_path / "run").values():
        assert reason.startswith("the generator was the bottleneck: at least ")
        assert "/s of 100,000/s achieved" in reason
