"""The HTTP API against the answers of a real server, one recorded request after the other."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.engine.conftest import bearer
from tests.engine.process import Engine
from tests.engine.shapes import FIXTURES, masked, recorded, shape

RECORDED = {entry["name"]: entry for entry in recorded("http.json")}
Answers = dict[str, httpx.Response]

# Decided by the front, so the wording is the same; other texts come from the engine.
SAME_TEXT = {
    "publish-bad-name",
    "publish-other-identity",
    "call-unknown",
    "call-no-content-type",
    "unknown-database",
    "bad-token",
    "db-identity",
    "delete-unknown",
}
# How long a body is and how it is sent is no part of the API.
FRAMING = {"content-length", "transfer-encoding", "date"}


@pytest.fixture(scope="module")
def answers(engine: Engine, lobby: bytes) -> Answers:
    with engine.client() as http:
        http.headers.update(bearer(http.post("/v1/identity").json()["token"]))
        return {name: request() for name, request in requests(http, engine.url, lobby).items()}


def requests(http: httpx.Client, url: str, lobby: bytes) -> dict[str, Callable[[], httpx.Response]]:
    base = "/v1/database/fixture-lobby"
    return {
        "ping": lambda: http.get("/v1/ping"),
        "health": lambda: http.get("/v1/health"),
        "identity": lambda: http.post("/v1/identity"),
        "publish-new": lambda: http.put(base, content=lobby),
        "publish-again": lambda: http.put(base, content=lobby),
        "publish-clear": lambda: http.put(f"{base}?clear=true", content=lobby),
        "publish-bad-module": lambda: http.put("/v1/database/bad", content=b"not a module"),
        "publish-bad-name": lambda: http.put("/v1/database/Bad_Name", content=lobby),
        "publish-other-identity": lambda: httpx.put(url + base, content=lobby),
        "call-ok": lambda: http.post(f"{base}/call/seed_rooms", json=[8]),
        "call-unknown": lambda: http.post(f"{base}/call/nope", json=[]),
        "call-bad-args": lambda: http.post(f"{base}/call/seed_rooms", json=["x"]),
        "call-no-content-type": lambda: http.post(f"{base}/call/seed_rooms", content=b"[8]"),
        "unknown-database": lambda: http.post("/v1/database/nope/call/x", json=[]),
        "bad-token": lambda: http.post(f"{base}/call/x", json=[], headers=bearer("junk")),
        "schema-v9": lambda: http.get(f"{base}/schema?version=9"),
        "schema-v10": lambda: http.get(f"{base}/schema?version=10"),
        "schema-no-version": lambda: http.get(f"{base}/schema"),
        "sql": lambda: http.post(f"{base}/sql", content="SELECT * FROM lobby_projection"),
        "sql-view": lambda: http.post(f"{base}/sql", content="SELECT * FROM active_game_anonymous"),
        "sql-bad": lambda: http.post(f"{base}/sql", content="SELEC 1"),
        "info": lambda: http.get(base),
        "db-identity": lambda: http.get(f"{base}/identity"),
        "names": lambda: http.get(f"{base}/names"),
        "logs": lambda: http.get(f"{base}/logs?num_lines=5"),
        "metrics": lambda: http.get("/v1/metrics"),
        "delete": lambda: http.delete(base),
        "delete-unknown": lambda: http.delete("/v1/database/never-there"),
    }


def test_every_recorded_request_is_replayed(answers: Answers) -> None:
    assert set(answers) == set(RECORDED)


@pytest.mark.parametrize("name", RECORDED)
def test_the_status_is_the_real_server_s(answers: Answers, name: str) -> None:
    assert answers[name].status_code == RECORDED[name]["status"], answers[name].text


@pytest.mark.parametrize("name", RECORDED)
def test_the_headers_are_the_real_server_s(answers: Answers, name: str) -> None:
    given, expected = answers[name].headers, RECORDED[name]
    assert set(expected.get("header_names", ())) - FRAMING <= set(given)
    for header in ("content-type", "vary", "access-control-allow-origin", "cache-control"):
        if header in expected["headers"]:
            assert given[header] == expected["headers"][header]


@pytest.mark.parametrize("name", sorted(SAME_TEXT))
def test_texts_of_the_front_are_the_real_server_s(answers: Answers, name: str) -> None:
    assert masked(answers[name].text) == masked(RECORDED[name]["body"])


@pytest.mark.parametrize(
    "name",
    [
        "health",
        "identity",
        "publish-new",
        "publish-again",
        "publish-clear",
        "sql-view",
        "info",
        "names",
    ],
)
def test_json_bodies_have_the_real_server_s_shape(answers: Answers, name: str) -> None:
    assert shape(answers[name].json()) == shape(json.loads(RECORDED[name]["body"]))


def test_sql_answers_have_the_real_server_s_shape(answers: Answers) -> None:
    (given,), (expected,) = answers["sql"].json(), json.loads(RECORDED["sql"]["body"])
    for answer in (given, expected):
        assert all(len(row) == len(answer["schema"]["elements"]) for row in answer["rows"])
    for key in ("total_duration_micros", "stats"):
        assert shape(given[key]) == shape(expected[key])
    assert set(given) == set(expected)


@pytest.mark.parametrize("section", ["tables", "reducers", "types"])
def test_schema_v9_describes_things_as_the_real_server_does(answers: Answers, section: str) -> None:
    given, expected = answers["schema-v9"].json(), json.loads(RECORDED["schema-v9"]["body"])
    assert set(given) >= set(expected)
    assert set(given[section][0]) >= set(expected[section][0])


def test_schema_v9_shows_the_views(answers: Answers) -> None:
    views = [export["View"] for export in answers["schema-v9"].json()["misc_exports"]]
    expected = json.loads(RECORDED["schema-v9"]["body"])["misc_exports"][0]["View"]
    assert {"active_game_anonymous", "active_game_per_sender"} < {view["name"] for view in views}
    assert all(set(view) >= set(expected) for view in views)


def test_schema_v10_has_the_sections_of_the_real_server(answers: Answers) -> None:
    def sections(body: Any) -> dict[str, Any]:
        return {name: content for section in body["sections"] for name, content in section.items()}

    given = sections(answers["schema-v10"].json())
    expected = sections(json.loads(RECORDED["schema-v10"]["body"]))
    assert {"Typespace", "Tables", "Reducers", "Views"} < set(given)
    for name in ("Tables", "Reducers", "Views"):
        assert set(given[name][0]) >= set(expected[name][0])


def test_log_lines_have_the_real_server_s_keys(answers: Answers) -> None:
    lines = [json.loads(line) for line in answers["logs"].text.splitlines()]
    expected = json.loads(RECORDED["logs"]["body"].splitlines()[0])
    assert len(lines) == 5
    assert all(set(expected) <= set(line) for line in lines)


def test_health_tells_the_engine_s_version(answers: Answers, engine: Engine) -> None:
    assert answers["health"].json()["version"] == engine.ready["version"]


def test_durations_and_energy_are_numbers(answers: Answers) -> None:
    assert int(answers["call-ok"].headers["spacetime-energy-used"]) > 0
    assert int(answers["call-ok"].headers["spacetime-execution-duration-micros"]) > 0
    assert int(answers["sql"].headers["spacetime-execution-duration-micros"]) > 0


def test_a_caller_without_a_token_gets_one_that_works(http: httpx.Client) -> None:
    answer = http.get("/v1/database/nope")
    identity, token = (answer.headers[f"spacetime-identity{part}"] for part in ("", "-token"))
    assert http.get(f"/v1/identity/{identity}/verify", headers=bearer(token)).status_code == 204
    again = http.get("/v1/database/nope", headers=bearer(token))
    assert again.headers["spacetime-identity"] == identity


def test_websocket_tokens_need_and_keep_an_identity(http: httpx.Client) -> None:
    assert http.post("/v1/identity/websocket-token").status_code == 401
    made = http.post("/v1/identity").json()
    short = http.post("/v1/identity/websocket-token", headers=bearer(made["token"])).json()["token"]
    assert http.get(f"/v1/identity/{made['identity']}/verify?token={short}").status_code == 204
    other = http.post("/v1/identity").json()["identity"]
    assert http.get(f"/v1/identity/{other}/verify?token={short}").status_code == 400


def test_the_public_key_is_a_pem_file(http: httpx.Client) -> None:
    answer = http.get("/v1/identity/public-key")
    assert answer.headers["content-type"] == "application/pem-certificate-chain"
    assert answer.text.startswith("-----BEGIN PUBLIC KEY-----")


def test_a_token_of_another_server_is_refused(http: httpx.Client) -> None:
    token = http.post("/v1/identity").json()["token"]
    head, claims, signature = token.split(".")
    forged = ".".join((head, claims, signature[::-1]))
    assert http.get("/v1/database/x", headers=bearer(forged)).status_code == 401
    assert http.get("/v1/ping", headers=bearer(forged)).status_code == 401
    malformed = http.get("/v1/database/x", headers={"Authorization": "Basic eA=="})
    assert malformed.status_code == 400


def test_browsers_of_any_origin_may_ask(http: httpx.Client) -> None:
    asked = {"Origin": "http://example.com", "Access-Control-Request-Method": "PUT"}
    answer = http.options("/v1/database/x", headers=asked)
    assert answer.status_code == 200
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["access-control-allow-methods"] == "*"


@pytest.mark.parametrize("path", ["%ff%fe", "a" * 5000, "a--b", "-a", "x" * 64, "%00", "..%2f.."])
def test_names_that_are_none_are_refused(http: httpx.Client, path: str) -> None:
    assert http.get(f"/v1/database/{path}").status_code in (400, 404)
    assert http.get("/v1/ping").status_code == 200


def test_the_metrics_families_that_the_project_reads_are_there(answers: Answers) -> None:
    def families(page: str) -> set[str]:
        return {line.split()[2] for line in page.splitlines() if line.startswith("# TYPE ")}

    real = families((FIXTURES / "metrics.txt").read_text(encoding="utf-8"))
    prefixes = ("spacetime_txn_", "spacetime_num_", "reducer_", "view_", "jemalloc_")
    wanted = {name for name in real if name.startswith(prefixes)}
    assert wanted - families(answers["metrics"].text) == set()
