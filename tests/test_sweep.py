"""The main job on the real engine: exact counts, whole runs, resumed runs."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analyzer import controller
from analyzer.metrics.parse import parse
from analyzer.plan import Plan
from analyzer.store import load_run
from analyzer.target import Server, Target
from analyzer.workplace import Workplace, workplace
from tests.command import error_line, stdb_sweep

SMALL = ("--clients", "2,5", "--rooms", "2,4", "--repeats", "2", "--writes", "3")


@pytest.fixture(scope="module")
def lobby(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess]:
    folder = tmp_path_factory.mktemp("lobby")
    arms = "per_sender,anonymous,projection"
    done = stdb_sweep(*SMALL, "--arms", arms, "--out", "run", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "run", done


def test_every_cell_counts_exactly_what_its_arm_declares(lobby: tuple) -> None:
    cells = pd.read_csv(lobby[0] / "cells.csv")
    assert len(cells) == 3 * 3 * 2
    assert set(cells["verdict"]) == {"ok"}
    for cell in cells.to_dict("records"):
        s, g = cell["clients"], cell["rows"]
        expected = {
            "per_sender": (s * (4 * g + 1) + 1, s),
            "anonymous": (4 * g + 1 if s else 1, 1 if s else 0),
            "projection": (2, 0),
        }[cell["arm"]]
        assert (cell["index_seeks"], cell["view_calls"]) == expected, cell
        assert cell["deliveries"] == s


def test_the_laws_are_found_with_zero_residual(lobby: tuple) -> None:
    laws = {
        (law["arm"], law["count"]): law for law in json.loads((lobby[0] / "laws.json").read_text())
    }
    assert laws["per_sender", "index_seeks"]["formula"] == "S*(4*G+1)+1"
    assert laws["per_sender", "view_calls"]["formula"] == "S"
    assert laws["projection", "index_seeks"]["formula"] == "2"
    assert all(law["exact"] for law in laws.values())


def test_the_run_directory_holds_what_the_contract_names(lobby: tuple) -> None:
    names = {path.name for path in lobby[0].iterdir()}
    assert names >= {
        "manifest.json", "observations.jsonl", "cells.csv", "laws.json", "model.json",
        "ceilings.csv", "report.md", "report.html", "plots", "scrapes",
    }  # fmt: skip
    manifest = json.loads((lobby[0] / "manifest.json").read_text())
    assert manifest["engine"] == {"name": "SpacetimeDB (embedded)", "version": "2.14.0"}
    assert len(manifest["module_sha256"]) == 64


def test_every_write_cost_has_both_its_parts(lobby: tuple) -> None:
    for record in load_run(lobby[0]).observations:
        assert record.reducer_ms is not None
        assert record.update_ms is not None
        assert record.update_ms > 0
        assert record.reducer_ms + record.update_ms == record.write_ms


def test_no_sql_call_falls_between_the_scrapes(lobby: tuple) -> None:
    """Each would be a write transaction of its own, and could leave view instances behind."""
    pages = list((lobby[0] / "scrapes").iterdir())
    assert pages
    for path in pages:
        page = parse(gzip.decompress(path.read_bytes()).decode(), url=path.name)
        assert not page.series("spacetime_num_txns_total", txn_type="Sql")


def test_the_report_says_what_was_asked(lobby: tuple) -> None:
    out = lobby[1].stdout
    for told in ("S*(4*G+1)+1", "per_sender", "anonymous", "projection", "50 ms", "run"):
        assert told in out


def test_report_prints_the_same_again(lobby: tuple) -> None:
    again = stdb_sweep("report", "run", cwd=lobby[0].parent)
    assert again.returncode == 0
    assert again.stdout == lobby[1].stdout


def test_a_complete_run_is_not_measured_again(lobby: tuple) -> None:
    arms = "per_sender,anonymous,projection"
    done = stdb_sweep(*SMALL, "--arms", arms, "--out", "run", cwd=lobby[0].parent)
    assert done.returncode == 1
    assert "run is complete" in done.stderr


def test_no_database_is_left_in_the_journal(lobby: tuple) -> None:
    lines = (lobby[0] / "databases.txt").read_text().splitlines()
    created = [line.split()[1] for line in lines if line.startswith("created")]
    deleted = [line.split()[1] for line in lines if line.startswith("deleted")]
    assert created == deleted


def test_the_tournament_counts_exactly(tmp_path: Path) -> None:
    done = stdb_sweep(
        "--clients", "2,5", "--entrants", "4,9", "--repeats", "1", "--writes", "3",
        "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for cell in pd.read_csv(tmp_path / "run" / "cells.csv").to_dict("records"):
        s, f = cell["clients"], cell["rows"]
        some = int(s > 0)
        assert (cell["index_seeks"], cell["rows_scanned"]) == {
            "per_sender": (2 * s + 1, 2 * s * f + 1),
            "one_anonymous": (s + some + 1, (s + some) * f + 1),
            "anonymous": (2 * some + 1, 2 * some * f + 1),
            "projection": (1, 1),
        }[cell["arm"]], cell


@pytest.mark.parametrize("client", ["websockets", "picows"])
@pytest.mark.parametrize("protocol", ["v2.bsatn", "v3.bsatn"])
def test_every_client_on_every_protocol_counts_the_same(
    tmp_path: Path, client: str, protocol: str
) -> None:
    done = stdb_sweep(
        "--clients", "3", "--rooms", "4", "--arms", "per_sender", "--repeats", "1",
        "--client", client, "--protocol", protocol, "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cells = pd.read_csv(tmp_path / "run" / "cells.csv")
    assert list(cells["index_seeks"]) == [1, 52]
    assert list(cells["deliveries"]) == [0, 3]


@pytest.mark.parametrize(("own", "servers"), [(True, 2), (False, 1)])
def test_a_server_of_ones_own_is_replaced_before_its_metrics_page_is_long(
    tmp_path: Path, engine: Server, monkeypatch: pytest.MonkeyPatch, own: bool, servers: int
) -> None:
    """Three databases, two a server; one that the user runs is not touched."""
    seen: list[str] = []

    @contextlib.asynccontextmanager
    async def watched(*arguments: Any) -> AsyncIterator[Workplace]:
        async with workplace(*arguments) as at:
            seen.append(at.server.url)
            yield at

    monkeypatch.setattr(controller, "workplace", watched)
    monkeypatch.setattr(controller, "DATABASES_A_SERVER", 2)
    plan = Plan(scenario="lobby", arms=("anonymous", "split"), clients=(0, 1), rows=(2,),
                repeats=1, windows=1, writes=2)  # fmt: skip
    target = Target(url=None if own else engine.url)
    run = asyncio.run(controller.sweep(plan, target, out=tmp_path / "run"))
    assert run.complete
    assert {o.verdict for o in run.observations} == {"ok"}
    assert len(set(seen)) == len(seen) == servers
    assert len(run.manifest["sittings"]) == 1


def test_a_javascript_module_ends_with_the_servers_refusal_and_what_to_do(tmp_path: Path) -> None:
    done = stdb_sweep(
        "--clients", "1", "--rooms", "2", "--module-language", "typescript", cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (1, "")
    told = error_line(done)
    assert "400 host_type=Js: this host runs WASM modules only" in told
    assert "If this server has no V8, name one that has, with --server or --server-bin" in told
    assert list((tmp_path / "runs").iterdir()) == []
