"""Every view design of the lobby on the real engine: exact counts, and the rows clients hold."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analyzer.arms import Arm
from analyzer.build.modules import module_wasm
from analyzer.controller import sweep
from analyzer.plan import Plan
from analyzer.scenarios import LOBBY
from analyzer.store import Run
from analyzer.swarm.loop import run as run_loop
from analyzer.target import Server, Target
from tests.command import stdb_sweep

ARMS = [arm.name for arm in LOBBY.arms]
CLIENTS, ROOMS = (2, 5), (2, 4)


@pytest.fixture(scope="module")
def designs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("designs")
    done = stdb_sweep(
        "--clients", "2,5", "--rooms", "2,4", "--arms", ",".join(ARMS), "--repeats", "1",
        "--windows", "1", "--writes", "4", "--out", "run", cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "run"


@pytest.fixture(scope="module")
def cells(designs: Path) -> dict[tuple[str, int, int], dict[str, Any]]:
    records = pd.read_csv(designs / "cells.csv").to_dict("records")
    return {(cell["arm"], cell["clients"], cell["rows"]): cell for cell in records}


LAWS: dict[str, Callable[[int, int], tuple[int | None, int, int | None]]] = {
    "per_sender": lambda s, g: (s * (4 * g + 1) + 1, s, 4 * s * g + 1),
    "narrow": lambda s, g: (s * (4 * g + 1) + 1, s, 4 * s * g + 1),
    "anonymous": lambda s, g: (4 * g + 1, 1, 4 * g + 1),
    "split": lambda s, g: (4 * g + 1, 1, 4 * g + 1),
    "query_per_sender": lambda s, g: (None, s, None),
    "query_anonymous": lambda s, g: (None, 1, None),
    "parameterized": lambda s, g: (5, 1, 5),
    "projection": lambda s, g: (2, 0, 2),
}
"""Index seeks, view calls and rows scanned per write, for S > 0; None is not counted."""


@pytest.mark.parametrize("arm", ARMS)
def test_every_design_counts_exactly_what_the_table_says(cells: dict, arm: str) -> None:
    for clients in CLIENTS:
        for rooms in ROOMS:
            cell = cells[arm, clients, rooms]
            assert cell["verdict"] == "ok", cell["reason"]
            counted = [cell[name] for name in ("index_seeks", "view_calls", "rows_scanned")]
            known = tuple(None if pd.isna(count) else count for count in counted)
            assert known == LAWS[arm](clients, rooms), cell


def test_without_subscribers_every_write_costs_its_own_work_alone(cells: dict) -> None:
    for arm in ARMS:
        cell = cells[arm, 0, 4]
        assert cell["view_calls"] == 0
        if not arm.startswith("query"):
            assert cell["index_seeks"] == (2 if arm == "projection" else 1)


def test_what_the_engine_does_not_count_is_blank_and_never_zero(designs: Path) -> None:
    cells = pd.read_csv(designs / "cells.csv")
    queries = cells[cells["arm"].str.startswith("query")]
    assert queries[["index_seeks", "index_seeks_expected", "rows_scanned"]].isna().all(axis=None)
    assert (queries["write_ms"] > 0).all()
    report = (designs / "report.md").read_text()
    assert "index seeks per write: not counted by this server" in report
    laws = json.loads((designs / "laws.json").read_text())
    [law] = [x for x in laws if (x["arm"], x["count"]) == ("query_anonymous", "index_seeks")]
    assert not law["exact"]


def test_a_client_of_one_room_is_told_of_that_room_alone(cells: dict) -> None:
    """Four writes round two rooms that five clients look at: three in one, two in the other."""
    for arm in ("narrow", "parameterized"):
        assert cells[arm, 5, 2]["deliveries"] == (3 + 2) / 2
        assert cells[arm, 2, 4]["deliveries"] == 1
    assert cells["anonymous", 5, 2]["deliveries"] == 5


def test_the_parts_of_a_write_add_up_to_its_reducer_time(designs: Path) -> None:
    cells = pd.read_csv(designs / "cells.csv")
    parts = cells[["reducer_body_ms", "view_body_ms", "materialize_ms", "commit_ms"]]
    assert (parts >= 0).all(axis=None)
    assert parts.sum(axis=1).to_numpy() == pytest.approx(cells["reducer_ms"].to_numpy())
    views = cells.set_index(["arm", "clients", "rows"])["view_body_ms"]
    assert views["per_sender", 5, 4] > 0
    assert views["per_sender", 0, 4] == views["projection", 5, 4] == 0
    assert "where the write cost goes" in (designs / "report.md").read_text()


def test_narrow_saves_nothing_at_the_size_the_article_states() -> None:
    assert LOBBY.arm("narrow").seeks(50, 256) == 51_251


def measured(arm: Arm, url: str, folder: Path, clients: int = 3) -> Run:
    """One block of `arm` instead of the lobby's own arm of its name."""
    arms = tuple(arm if own.name == arm.name else own for own in LOBBY.arms)
    own = dataclasses.replace(LOBBY, module=str(module_wasm("lobby")), arms=arms)
    plan = Plan(scenario="lobby", own=own, arms=(arm.name,), clients=(1, clients), rows=(2,),
                repeats=1, windows=1, writes=3)  # fmt: skip
    return run_loop(sweep(plan, Target(url=url), out=folder / "run", progress=Silent()))


class Silent:
    """Progress that nobody sees."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_: None


@pytest.mark.parametrize("name", ["split", "projection"])
def test_a_design_that_forgets_the_personal_rows_is_void_with_the_row(
    engine: Server, tmp_path: Path, name: str
) -> None:
    whole = LOBBY.arm(name)
    run = measured(dataclasses.replace(whole, queries=whole.queries[:1]), engine.url, tmp_path)
    first, last, _control = run.observations
    assert first.verdict == "ok"
    [reason] = last.reasons
    assert reason.startswith("client 0 holds 2 rows, per_sender shows it 3: 1 are missing")
    assert "'practice'" in reason


def test_a_table_that_the_reducer_forgets_is_void_though_its_counts_agree(
    engine: Server, tmp_path: Path
) -> None:
    """Without the projecting reducer its rows stay as they were seeded."""
    whole = LOBBY.arm("projection")
    one = LOBBY.arm("per_sender").write
    nothing = LOBBY.arm("query_anonymous").seeks
    stale = dataclasses.replace(
        whole, write=one, seeks=nothing, rows_scanned=nothing, deliveries=None
    )
    [reason] = measured(stale, engine.url, tmp_path).observations[1].reasons
    assert "2 are missing and 2 are too many" in reason
