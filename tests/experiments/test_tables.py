"""Tables opened in one transaction, and the hands played at them, on the real engine."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from analyzer.build.modules import module_wasm
from analyzer.errors import HttpError, UsageError
from analyzer.experiments import tables as experiment
from analyzer.experiments.lab import Record, Records, load_records
from analyzer.experiments.tables import Settings, tables
from analyzer.report.tables import law_text, tables_content
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server, Target
from analyzer.target.cpu import cpu_seconds
from tests.command import error_line, stdb_sweep

HOUR_MS = 3_600_000
STEPS = 5
OVER = 4
"""The street of a hand that is paid out."""


def test_rows_and_seeks_are_exact_multiples_and_the_clock_is_kept(tmp_path: Path) -> None:
    done = stdb_sweep(
        "tables", "--tables", "1,3,10", "--clock", "250ms", "--watch", "1500ms", "--repeats", "1",
        "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = load_records(tmp_path / "run")
    openings, loops = ([r for r in found.records if r["kind"] == k] for k in ("opening", "loops"))
    for opening, n in zip(openings, (1, 3, 10), strict=True):
        assert (opening["tables"], opening["rows"], opening["index_seeks"]) == (n, 38 * n, 31 * n)
        assert opening["bytes"] == pytest.approx(10_500 * n, rel=0.05)
        assert opening["bytes"] * openings[0]["tables"] == openings[0]["bytes"] * n
    for loop, n in zip(loops, (1, 3, 10), strict=True):
        most_steps = loop["seconds"] / (0.25 / STEPS) + 2
        assert 0 < loop["steps"] <= most_steps * n
        assert 0 < loop["hands"] <= loop["steps"] / 2
        assert loop["cpu_s"] is not None
    assert "38*N, exact in all 3 openings (residual 0)" in done.stdout
    assert stdb_sweep("report", "run", cwd=tmp_path).stdout == done.stdout
    assert (tmp_path / "run" / "report.md").read_text().startswith("# stdb-sweep: tables")


def test_chips_and_cards_are_conserved_over_many_hands(engine: Server) -> None:
    async def play(http: StdbHttp, database: str) -> None:
        await http.call(database, "open_tables", [5, 20])
        for _ in range(600):
            played = [table["hands"] for table in await rows(http, database, "poker_table")]
            if min(played) >= 30:
                break
            await asyncio.sleep(0.1)
        assert min(played) >= 30
        await http.call(database, "set_clock", [HOUR_MS])
        await http.call(database, "audit", [])
        hands = await rows(http, database, "hand")
        over = {hand["table"] for hand in hands if hand["street"][0] == OVER}
        chips, bought = [0] * 5, [0] * 5
        for seat in await rows(http, database, "seat"):
            chips[seat["table"]] += seat["stack"]
            bought[seat["table"]] += seat["bought"]
        for stake in await rows(http, database, "stake"):
            chips[stake["table"]] += 0 if stake["table"] in over else stake["put_in"]
        decks = await rows(http, database, "deck")
        cards = {deck["table"]: [*bytes.fromhex(deck["cards"])] for deck in decks}
        for hole in await rows(http, database, "hole_cards"):
            cards[hole["table"]] += [hole["first"], hole["second"]]
        assert chips == bought
        assert min(bought) >= 8 * 2000
        assert [sorted(cards[table]) for table in range(5)] == [[*range(52)]] * 5

    on_poker(engine, play)


def test_no_table_plays_before_its_clock(engine: Server) -> None:
    async def wait(http: StdbHttp, database: str) -> None:
        await http.call(database, "open_tables", [3, HOUR_MS])
        await asyncio.sleep(0.3)
        assert [t["hands"] for t in await rows(http, database, "poker_table")] == [1, 1, 1]
        [first, *_] = timers = await rows(http, database, "timer")
        assert {timer["step_us"] for timer in timers} == {HOUR_MS * 1000 // STEPS}
        await http.call(database, "set_clock", [1000])
        assert {t["step_us"] for t in await rows(http, database, "timer")} == {200_000}
        with pytest.raises(HttpError, match="a clock of 4 ms is too short"):
            await http.call(database, "set_clock", [4])
        async with StdbHttp(engine.url, token=(await http.new_identity()).token) as stranger:
            with pytest.raises(HttpError, match="play"):
                await stranger.call(database, "play", [first])

    on_poker(engine, wait)


def test_the_audit_names_the_table_where_a_chip_was_taken(engine: Server) -> None:
    async def steal(http: StdbHttp, database: str) -> None:
        await http.call(database, "open_tables", [2, HOUR_MS])
        await http.sql(database, "UPDATE seat SET stack = 1 WHERE id = 8")
        with pytest.raises(HttpError, match=r"table 1 has 1\d{4} chips of 16000"):
            await http.call(database, "audit", [])

    on_poker(engine, steal)


def test_a_rolled_back_opening_is_void_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment, "_SLOW_CLOCK_S", 0.001)
    settings = Settings(tables=(2,), clock_s=0.1, watch_s=0.1, repeats=1)
    found = asyncio.run(tables(settings, Target(), out=tmp_path / "run"))
    [record] = found.records
    assert record["reasons"] == [
        "open_tables was rolled back: a clock of 1 ms is too short: it has 5 steps"
    ]
    done = stdb_sweep("report", "run", cwd=tmp_path)
    assert done.returncode == 3
    assert "a clock of 1 ms is too short" in done.stdout
    assert error_line(done).endswith("void records: 1 of 1; the report says why")


def test_an_opening_that_parts_from_the_law_is_void_and_names_the_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(experiment, "SEEKS", 32)
    settings = Settings(tables=(2,), clock_s=0.1, watch_s=0.1, repeats=1)
    found = asyncio.run(tables(settings, Target(), out=tmp_path / "run"))
    assert [record["reasons"] for record in found.records] == [["62 seeks, 64 expected"]]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ("--tables 1,x", "--tables: 'x'"),
        ("--tables 0", "--tables: '0'"),
        ("--tables 10001", "--tables 10001: it takes up to 10000"),
        ("--clock 20", "'20' is not a duration"),
        ("--clock 4ms", "--clock 4.00 ms: it takes 5ms or more"),
        ("--watch 0s", "'0s' is no time"),
        ("--repeats 0", "--repeats"),
        ("--server http://example.org", "--allow-remote"),
        ("--token-file /dev/null", "--token-file goes with --server"),
    ],
)
def test_a_bad_flag_is_one_line_and_exit_2(tmp_path: Path, flags: str, told: str) -> None:
    done = stdb_sweep("tables", *flags.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert told in error_line(done)
    assert list(tmp_path.iterdir()) == []


def test_a_law_is_whole_and_the_same_in_every_opening() -> None:
    def counted(*counts: tuple[int, int | None]) -> str:
        return law_text([{"tables": n, "rows": rows} for n, rows in counts], "rows")

    assert counted((1, 38), (3, 114)) == "38*N, exact in all 2 openings (residual 0)"
    assert counted((1, 38), (3, 115)) == "no exact law: 38.0 to 38.3 a table"
    assert counted((2, 77), (4, 154)) == "no exact law: 38.5 to 38.5 a table"
    assert counted((3, 114)).endswith("only N = 3 was measured, add a value to --tables")
    assert counted((1, 38), (3, None)) == "not counted"
    assert counted() == "no usable opening"


def test_what_a_server_does_not_tell_is_unknown_and_not_zero() -> None:
    opening: Record = {"kind": "opening", "tables": 128, "repeat": 0, "rows": None,
                       "index_seeks": 3968, "bytes": None, "reducer_ms": 38.4, "update_ms": None,
                       "reasons": []}  # fmt: skip
    loop: Record = {"kind": "loops", "tables": 128, "repeat": 0, "seconds": 60.0, "hands": 426,
                    "steps": 1920, "reducer_ms": 480.0, "update_ms": None, "cpu_s": None,
                    "reasons": []}  # fmt: skip
    settings = {"clock_s": 20.0, "watch_s": 60.0}
    found = Records(Path("run"), "tables", settings, {}, (opening, loop))
    opened, loops, article, _ = tables_content(found).sections
    assert opened.blocks[0].rows == (("128", "-", "3,968", "-", "38.4", "0.300"),)  # type: ignore[union-attr]
    assert loops.blocks[0].rows == (("128", "426", "3.33", "-", "-", "-", "-"),)  # type: ignore[union-attr]
    beside = {row[0]: row[2:] for row in article.blocks[0].rows}  # type: ignore[union-attr]
    assert beside["opening 128 tables"] == ("35 to 42", "38.4")
    assert beside["hands a table"] == ("3.10 to 3.50", "3.33")
    assert beside["server at 128 tables"] == ("0.110", "-")
    other = replace(found, settings={**settings, "clock_s": 1.0})
    article = tables_content(other).sections[2]
    assert {row[0]: row[3] for row in article.blocks[0].rows}["hands a table"] == "-"  # type: ignore[union-attr]


def test_cpu_seconds_are_those_of_the_process_and_unknown_for_a_stranger() -> None:
    began_s = cpu_seconds(os.getpid())
    assert began_s is not None
    until_s = time.process_time() + 0.05
    while time.process_time() < until_s:
        pass
    assert (cpu_seconds(os.getpid()) or 0) > began_s
    assert cpu_seconds(None) is None
    assert cpu_seconds(2**22 + 1) is None


def test_more_tables_than_a_transaction_should_hold_are_refused() -> None:
    with pytest.raises(UsageError, match="--tables 20000"):
        Settings(tables=(1, 20_000))


def on_poker(engine: Server, test: Callable[[StdbHttp, str], Awaitable[None]]) -> None:
    async def run() -> None:
        async with poker(engine) as (http, database):
            await test(http, database)

    asyncio.run(run())


@asynccontextmanager
async def poker(engine: Server) -> AsyncIterator[tuple[StdbHttp, str]]:
    async with StdbHttp(engine.url) as anyone:
        token = (await anyone.new_identity()).token
    async with StdbHttp(engine.url, token=token) as http:
        name = f"test-poker-{time.monotonic_ns()}"
        database = await http.publish(name, module_wasm("poker").read_bytes())
        try:
            yield http, database
        finally:
            await http.delete(database)


async def rows(http: StdbHttp, database: str, table: str) -> list[dict[str, Any]]:
    [result] = await http.sql(database, f"SELECT * FROM {table}")
    names = [column["name"]["some"] for column in result["schema"]["elements"]]
    return [dict(zip(names, row, strict=True)) for row in result["rows"]]
