"""`inspect` on a live database: kinds from the schema, calls from the metrics, no guess."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from analyzer.arms import Arm
from analyzer.bench import open_bench
from analyzer.calls import Call
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server
from tests.command import error_line, stdb_sweep

NAME, CLIENTS, WRITES = "inspected-house", 3, 5
ARM = Arm(
    name="front",
    summary="",
    queries=("SELECT * FROM front_page", "SELECT * FROM bargains"),
    write=Call('bid({i}, {"raise": 5, "currency": {"silver": []}}, null)'),
)


@pytest.fixture(scope="module")
def house(engine: Server, strange_modules: dict[str, Path]) -> Iterator[Server]:
    """An auction that three clients watched while five bids were made."""

    async def live() -> str:
        async with StdbHttp(engine.url) as http:
            owner = (await http.new_identity()).token
        async with StdbHttp(engine.url, owner) as http:
            await http.publish(NAME, strange_modules["auction"].read_bytes())
            seed = Call("stock(8)")
            async with open_bench(
                http, NAME, ARM, 8, seed=seed, owner=owner, protocol="v2.bsatn"
            ) as bench:
                await bench.swarm.grow_to(CLIENTS)
                run, _ = await bench.write(WRITES, None)
                assert run.acknowledged == WRITES
            await asyncio.sleep(0.1)  # metrics lag the commits
        return owner

    async def end(owner: str) -> None:
        async with StdbHttp(engine.url, owner) as http:
            await http.delete(NAME)

    owner = asyncio.run(live())
    yield engine
    asyncio.run(end(owner))


def test_views_are_listed_with_kind_parameters_calls_and_cost(
    house: Server, tmp_path: Path
) -> None:
    done = stdb_sweep("inspect", NAME, "--server", house.url, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    views = {use["view"]["name"]: use for use in found["views"]}
    assert views["front_page"]["calls"] == CLIENTS + CLIENTS * WRITES
    assert views["bargains"]["calls"] == 1 + WRITES
    assert views["bargains"]["view"]["query"]
    assert views["front_page"]["total_ms"] > 0
    assert views["one_category"]["view"]["parameters"] == [["category", "U32"]]
    # Never called is unknown to the server, not zero.
    assert views["one_category"]["calls"] is None
    [bid] = found["reducers"]
    assert (bid["name"], bid["writes"], bid["view_calls"]) == ("bid", 5, (CLIENTS + 1) * WRITES)


def test_it_asks_whether_a_per_sender_view_reads_its_sender(house: Server, tmp_path: Path) -> None:
    done = stdb_sweep("inspect", NAME, "--server", house.url, cwd=tmp_path)
    told = " ".join(done.stdout.split())
    assert "does front_page read its sender?" in told
    assert "does my_watch_list read its sender?" in told
    assert "does front_page_shared" not in told
    assert "one_category(category: U32)" in told


def test_inspecting_leaves_no_transaction_behind(house: Server, tmp_path: Path) -> None:
    looks = [
        stdb_sweep("inspect", NAME, "--server", house.url, "--json", cwd=tmp_path).stdout
        for _ in range(2)
    ]
    assert looks[0] == looks[1]


def test_what_cannot_be_inspected_is_one_line(house: Server, tmp_path: Path) -> None:
    done = stdb_sweep("inspect", "nobodys-house", "--server", house.url, cwd=tmp_path)
    assert done.returncode == 1
    assert "404" in error_line(done)
    done = stdb_sweep("inspect", NAME, "--server", "http://example.com", cwd=tmp_path)
    assert done.returncode == 2
    assert "--allow-remote" in error_line(done)
