"""A sweep with subscribers inside the engine counts what one with WebSocket clients counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from analyzer.records import Observation
from analyzer.store import load_run
from tests.command import stdb_sweep

CELLS = ("--clients", "2,25", "--rooms", "3,8", "--repeats", "1", "--writes", "4")
COUNTS = ("writes", "committed", "rolled_back", "index_seeks", "update_seeks", "view_calls",
          "rows_scanned", "bytes_sent", "deliveries", "deliveries_low", "deliveries_high",
          "live_clients", "verdict")  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("subscribers")
    for kind in ("websocket", "engine"):
        done = stdb_sweep(*CELLS, "--subscribers", kind, "--out", kind, cwd=folder)
        assert done.returncode == 0, done.stderr
    return {kind: folder / kind for kind in ("websocket", "engine")}


def counts(run: Path) -> dict[object, list[object]]:
    def key(o: Observation) -> object:
        return o.cell, o.control, o.window

    return {key(o): [getattr(o, name) for name in COUNTS] for o in load_run(run).observations}


def test_both_kinds_of_subscribers_give_the_same_counts(runs: dict[str, Path]) -> None:
    over_sockets, inside = counts(runs["websocket"]), counts(runs["engine"])
    assert inside == over_sockets
    assert {cell.arm for cell, _, _ in inside} == {"per_sender", "anonymous"}


def test_both_give_the_same_laws(runs: dict[str, Path]) -> None:
    laws = [json.loads((run / "laws.json").read_text()) for run in runs.values()]
    assert laws[0] == laws[1]


@pytest.mark.parametrize(
    ("kind", "told"),
    [("websocket", "WebSocket clients"), ("engine", "inside the engine, without sockets")],
)
def test_manifest_and_report_say_which_kind_it_was(
    runs: dict[str, Path], kind: str, told: str
) -> None:
    assert load_run(runs[kind]).plan.subscribers == kind
    assert f"- subscribers: {told}" in (runs[kind] / "report.md").read_text()


def test_a_run_is_not_resumed_with_the_other_kind(runs: dict[str, Path], tmp_path: Path) -> None:
    half = tmp_path / "half"
    half.mkdir()
    for name in ("manifest.json", "observations.jsonl"):
        text = (runs["engine"] / name).read_text()
        if name == "observations.jsonl":
            text = text[: len(text) // 2]
        (half / name).write_text(text)
    done = stdb_sweep(*CELLS, "--subscribers", "websocket", "--out", "half", cwd=tmp_path)
    assert done.returncode == 1
    assert "its plan differs" in done.stderr
