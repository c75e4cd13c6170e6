"""Rules and dashboard for live servers: a real Prometheus reads the embedded engine with them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.prometheus.conftest import CLIENTS, ROOMS, WRITES, Life
from tests.prometheus.server import DOCS, program

WRITE = "settle_street"
ARMS = ("per_sender", "anonymous")
PARTS = {"reducer_body", "view_body", "materialize", "commit", "update"}


def promtool(*args: object, cwd: Path = DOCS) -> str:
    command = [program("promtool"), *map(str, args)]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def dashboard() -> Any:
    return json.loads((DOCS / "grafana-dashboard.json").read_text())


def test_promtool_finds_nothing_to_say_against_rules_and_configuration() -> None:
    promtool("check", "rules", "--lint-fatal", "recording-rules.yml", "alerts.yml")
    promtool("check", "config", "--lint-fatal", "prometheus.yml")


def test_alerts_fire_for_a_busy_lock_and_for_clients_that_were_dropped() -> None:
    promtool("test", "rules", "alerts_test.yml", cwd=Path(__file__).parent)


def test_every_rule_loads_and_has_had_data(life: Life) -> None:
    rules = life.prometheus.rules("recording")
    assert rules
    assert {rule["name"]: rule["health"] for rule in rules if rule["health"] != "ok"} == {}
    for rule in rules:
        assert life.prometheus.has_data(rule["query"], life.began, life.haunted), rule["query"]
        recorded = f"{rule['name']}{_selector(rule.get('labels', {}))}"
        assert life.prometheus.has_data(recorded, life.began, life.haunted), recorded


def test_every_alert_compares_what_is_recorded(life: Life) -> None:
    alerts = life.prometheus.rules("alerting")
    assert alerts
    for alert in alerts:
        assert alert["health"] == "ok", alert["lastError"]
        compared = re.fullmatch(r"(\w+:\w+:\w+)(\{.*\})? > [0-9.]+", alert["query"])
        assert compared, alert["query"]
        assert life.prometheus.has_data(compared[1], life.began, life.haunted), alert["query"]


@pytest.mark.parametrize(
    "expression",
    [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]],
)
def test_every_query_of_the_dashboard_has_data(life: Life, expression: str) -> None:
    asked = expression.replace("$database", life.databases["per_sender"])
    assert life.prometheus.has_data(asked, life.began, life.haunted)


def test_the_dashboard_belongs_to_no_one_installation() -> None:
    board = dashboard()
    assert board["id"] is None
    assert "uid" not in board
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    sources = {asked["datasource"]["uid"] for p in panels for asked in (p, *p["targets"])}
    assert sources == {"${datasource}"}
    tiles = [
        (x, y)
        for p in panels
        for x in range(p["gridPos"]["x"], p["gridPos"]["x"] + p["gridPos"]["w"])
        for y in range(p["gridPos"]["y"], p["gridPos"]["y"] + p["gridPos"]["h"])
    ]
    assert len(set(tiles)) == len(tiles), "panels overlap"
    assert max(x for x, _ in tiles) < 24


def test_the_database_variable_offers_every_database_that_was_written_to(life: Life) -> None:
    names = [variable["name"] for variable in dashboard()["templating"]["list"]]
    assert names == ["datasource", "database"]
    query = dashboard()["templating"]["list"][1]["query"]["query"]
    found = re.fullmatch(r"label_values\((\S+), (\w+)\)", query)
    assert found
    offered = life.prometheus.api(f"label/{found[2]}/values", **{"match[]": found[1]})
    assert set(life.databases.values()) <= set(offered)


@pytest.mark.parametrize(
    ("arm", "calls", "seeks"),
    [
        ("per_sender", CLIENTS, CLIENTS * (4 * ROOMS + 1) + 1),
        ("anonymous", 1, 4 * ROOMS + 1),
    ],
)
def test_counts_per_write_are_exact(life: Life, arm: str, calls: int, seeks: int) -> None:
    per_reducer = "reducer:spacetime_view_calls_per_write:ratio_rate1m"
    in_all = "database:spacetime_index_seeks_per_write:ratio_rate1m"
    assert life.query(arm, per_reducer, life.written) == {WRITE: pytest.approx(calls)}
    assert life.query(arm, in_all, life.written) == {"": pytest.approx(seeks)}
    window = life.windows[arm]
    assert (window.view_calls, window.index_seeks) == (WRITES * calls, WRITES * seeks)


@pytest.mark.parametrize("arm", ARMS)
def test_costs_are_what_the_tool_itself_reads(life: Life, arm: str) -> None:
    window = life.windows[arm]
    assert window.reducer_s is not None
    assert window.update_s is not None
    for metric, cost_ms in {
        "reducer:spacetime_write_ms:mean_rate1m": window.write_ms,
        "reducer:spacetime_reducer_ms:mean_rate1m": window.reducer_s / WRITES * 1e3,
        "reducer:spacetime_update_ms:mean_rate1m": window.update_s / WRITES * 1e3,
    }.items():
        assert life.query(arm, metric, life.written) == {WRITE: pytest.approx(cost_ms)}, metric


@pytest.mark.parametrize("arm", ARMS)
def test_the_parts_of_the_lock_share_add_up_to_it_and_to_the_write_cost(
    life: Life, arm: str
) -> None:
    parts = life.query(arm, "database_part:spacetime_lock_share:ratio_rate1m", life.written)
    assert parts.keys() == PARTS
    assert min(parts.values()) > 0
    share = life.query(arm, "database:spacetime_lock_share:ratio_rate1m", life.written)[""]
    writes = life.query(arm, "database:spacetime_writes:rate1m", life.written)[""]
    cost_ms = life.query(arm, "reducer:spacetime_write_ms:mean_rate1m", life.written)[WRITE]
    assert sum(parts.values()) == pytest.approx(share)
    assert share / writes * 1e3 == pytest.approx(cost_ms)
    window = life.windows[arm]
    for part, seconds in {
        "reducer_body": window.reducer_body_s,
        "view_body": window.view_body_s,
        "update": window.update_s,
    }.items():
        assert seconds is not None
        assert parts[part] / writes == pytest.approx(seconds / WRITES), part


@pytest.mark.parametrize("arm", ARMS)
def test_the_time_of_a_view_is_its_body_and_its_materialization(life: Life, arm: str) -> None:
    parts = life.query(arm, "database_part:spacetime_lock_share:ratio_rate1m", life.written)
    views = life.query(arm, "view:spacetime_lock_share:ratio_rate1m", life.written)
    view_s = parts["view_body"] + parts["materialize"]
    assert views == {f"active_game_{arm}": pytest.approx(view_s)}


def test_clients_are_counted_and_those_that_left_have_a_cause(life: Life) -> None:
    clients = "database:spacetime_connected_clients:sum"
    gone = "database_cause:spacetime_disconnections:increase1m"
    assert life.query("per_sender", clients, life.written) == {"": CLIENTS + 1}
    assert life.query("per_sender", gone, life.written) == {}
    assert life.query("per_sender", clients, life.left) == {"": 1}
    assert life.query("per_sender", gone, life.left) == {"client_close": CLIENTS}
    assert life.query("anonymous", gone, life.left) == {}


def test_ghosts_are_suspected_only_once_their_clients_have_gone(life: Life) -> None:
    ghosts = "database:spacetime_suspected_ghosts:min1m"
    calls = "reducer:spacetime_view_calls_per_write:ratio_rate1m"
    assert life.query("per_sender", ghosts, life.written) == {}
    assert life.query("per_sender", calls, life.haunted) == {WRITE: pytest.approx(CLIENTS)}
    # The writer is connected as well, and might have had one of the instances for all we know.
    assert life.query("per_sender", ghosts, life.haunted) == {"": pytest.approx(CLIENTS - 1)}
    assert life.query("anonymous", ghosts, life.haunted) == {}


def test_what_was_not_written_to_has_no_cost_and_not_a_cost_of_zero(life: Life) -> None:
    """By then the anonymous lobby's last write is out of range."""
    for metric in (
        "reducer:spacetime_write_ms:mean_rate1m",
        "reducer:spacetime_view_calls_per_write:ratio_rate1m",
        "database:spacetime_index_seeks_per_write:ratio_rate1m",
    ):
        assert life.query("anonymous", metric, life.haunted) == {}, metric
    assert life.query("anonymous", "database:spacetime_writes:rate1m", life.haunted) == {"": 0}


def _selector(labels: dict[str, str]) -> str:
    return "{" + ", ".join(f'{name}="{value}"' for name, value in labels.items()) + "}"
