"""The same transfers by three ways: conserved, counted, kept."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analyzer.build.modules import module_wasm
from analyzer.errors import UsageError
from analyzer.experiments.lab import Records, load_records
from analyzer.experiments.transport import (
    WAYS,
    Settings,
    call_all,
    check_balance,
    order,
    seed_accounts,
)
from analyzer.report.transport import over_runs, transport_content, write_transactions
from analyzer.stdb.http import StdbHttp
from analyzer.swarm.loop import run
from analyzer.swarm.poster import Poster
from analyzer.swarm.writer import Writer
from analyzer.target import Server
from tests.command import error_line, stdb_sweep

CALLS = 60
SMALL = ("--accounts", "50", "--calls", CALLS, "--warmup", "8", "--connections", "4",
         "--depth", "3", "--runs", "2", "--seed", "5")  # fmt: skip
Done = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("transport")
    done = stdb_sweep("transport", *SMALL, "--out", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done


@pytest.fixture(scope="module")
def found(measured: Done) -> Records:
    return load_records(measured[0] / "run")


def ways(found: Records) -> list[dict[str, object]]:
    return [r for r in found.records if r["kind"] == "way"]


def test_every_way_makes_every_transfer_in_every_run(found: Records) -> None:
    assert len(ways(found)) == 2 * len(WAYS)
    for way in ways(found):
        assert (way["acknowledged"], way["errors"], way["error_texts"]) == (CALLS, 0, [])
        assert way["index_seeks"] == 2 * CALLS


def test_a_call_is_three_write_transactions_over_http_and_one_over_websocket(
    found: Records,
) -> None:
    assert {(way["way"], write_transactions(way)) for way in ways(found)} == {
        ("http", 3), ("websocket", 1), ("pipelined", 1)
    }  # fmt: skip


def test_as_many_samples_are_kept_as_calls_were_acknowledged(found: Records) -> None:
    for way in ways(found):
        with np.load(found.path / str(way["samples"])) as kept:
            samples = kept["latency_ms"]
        assert len(samples) == CALLS
        assert way["max_ms"] == samples.max()
        assert way["p50_ms"] == pytest.approx(np.median(samples))
    assert len(list((found.path / "samples").iterdir())) == len(ways(found))


def test_the_order_is_seeded_and_goes_one_further_in_every_run(found: Records) -> None:
    for number in (0, 1):
        ran = [way["way"] for way in ways(found) if way["run"] == number]
        assert tuple(ran) == order(5, number)
    rotated = [order(5, number) for number in range(3)]
    assert all(sorted(position) == sorted(WAYS) for position in zip(*rotated, strict=True))
    assert len({order(seed, 0) for seed in range(20)}) > 2


def test_the_balance_of_every_run_is_conserved(found: Records) -> None:
    balances = [r for r in found.records if r["kind"] == "balance"]
    assert [(b["run"], b["accounts"], b["total"], b["reasons"]) for b in balances] == [
        (0, 50, 50_000_000, []), (1, 50, 50_000_000, [])
    ]  # fmt: skip


def test_the_report_answers_first_and_is_printed_again(measured: Done) -> None:
    folder, done = measured
    answer = done.stdout.split("How fast a call travels, and what it costs\n")[1]
    assert answer.lstrip().startswith("over WebSocket, ")
    assert "times as many transfers" in answer
    assert "over 2 runs)" in answer
    assert "confirmed=false" in answer
    assert "conserved in 2 of 2 runs" in answer
    assert stdb_sweep("report", "run", cwd=folder).stdout == done.stdout
    assert (folder / "run" / "report.md").read_text().startswith("# stdb-sweep: transport")
    assert "<h1>stdb-sweep: transport</h1>" in (folder / "run" / "report.html").read_text()
    assert not (folder / "run" / "plots").exists()


def test_a_breach_of_the_balance_voids_its_run_with_exit_3(measured: Done, tmp_path: Path) -> None:
    shutil.copytree(measured[0] / "run", tmp_path / "run")
    path = tmp_path / "run" / "records.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    records[3]["reasons"] = ["the balance is not conserved: 7 is not 8"]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    done = stdb_sweep("report", "run", cwd=tmp_path)
    assert done.returncode == 3
    assert "void records: 1 of 8" in error_line(done)
    assert "run 1 is void: the balance is not conserved: 7 is not 8" in done.stdout
    assert "one run, no interval" in done.stdout


@contextlib.asynccontextmanager
async def accounts(engine: Server, count: int) -> AsyncIterator[tuple[StdbHttp, str, str]]:
    """A bank of the test's own, with a token for a caller."""
    async with StdbHttp(engine.url) as anyone:
        owner, caller = [(await anyone.new_identity()).token for _ in range(2)]
    async with StdbHttp(engine.url, token=owner) as http:
        database = await http.publish(
            f"test-transport-{count}", module_wasm("transfer").read_bytes()
        )
        try:
            await seed_accounts(http, database, count)
            yield http, database, caller
        finally:
            await http.delete(database)


def test_transfers_that_fail_are_counted_and_move_nothing(engine: Server) -> None:
    async def fail() -> None:
        async with accounts(engine, 6) as (http, database, token):
            transfers = np.array([[0, 1], [2, 3], [0, 9], [1, 0], [4, 4]])
            async with (
                Poster(engine.url, database, token=token) as poster,
                Writer(engine.url, database, token=token) as writer,
            ):
                for caller in (poster, writer):
                    done = await call_all([caller], transfers, 2, amount=2_000_000)
                    assert (done.sent, done.acknowledged, done.failed_count) == (5, 0, 5)
                    assert len(done.latencies_ms) == 0
                    told = " ".join(done.failed)
                    assert "account 2 holds less than 2000000" in told
                    assert "no account 9" in told
                    assert "account 4 cannot pay itself" in told
            assert (await check_balance(http, database, 6))["reasons"] == []

    run(fail())


def test_accounts_are_made_in_chunks_and_money_from_nowhere_is_noticed(engine: Server) -> None:
    async def count() -> None:
        async with accounts(engine, 25_000) as (http, database, _token):
            balance = await check_balance(http, database, 25_000)
            assert (balance["accounts"], balance["total"]) == (25_000, 25_000_000_000)
            assert balance["reasons"] == []
            await http.call(database, "seed_accounts", [25_001])
            [reason] = (await check_balance(http, database, 25_000))["reasons"]
            assert "25001000000 in 25001 accounts, 25000000000 in 25000" in reason

    run(count())


def test_a_report_of_nothing_measured_yet_says_so(found: Records) -> None:
    begun = dataclasses.replace(found, records=found.records[:2])
    assert "no run is whole" in str(transport_content(begun))


def test_one_run_has_no_interval() -> None:
    assert over_runs([4.0]) == "4.00 (one run, no interval)"
    assert over_runs([4.0, 2.0, 3.0]) == "3.00 (2.00 to 4.00 over 3 runs)"


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"alpha": 9}, "--alpha 9"),
        ({"alpha": float("nan")}, "--alpha nan"),
        ({"calls": 4}, "--calls 4 for --connections 16"),
        ({"warmup": 15}, "--warmup 15"),
    ],
)
def test_settings_that_cannot_be_measured_are_refused(setting: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Settings(**setting)
