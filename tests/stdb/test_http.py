from __future__ import annotations

import json
import logging
import re
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from analyzer.errors import HttpError, TargetError
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server
from tests.stdb.canned import Canned, silent_server

pytestmark = pytest.mark.anyio

RECORDED = {
    entry["name"]: entry
    for entry in json.loads((Path(__file__).parent.parent / "fixtures/http.json").read_text())
}
Call = Callable[[StdbHttp], Awaitable[Any]]


def recorded(name: str) -> Canned:
    entry = RECORDED[name]
    headers = {"content-type": entry["headers"].get("content-type", "")}
    return Canned(entry["status"], entry["body"], headers)


async def failure(server: Canned, call: Call, token: str | None = None) -> HttpError:
    async with server, StdbHttp(server.url, token=token) as http:
        with pytest.raises(HttpError) as caught:
            await call(http)
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize(
    ("name", "call", "answer", "request_line"),
    [
        ("ping", lambda h: h.ping(), None, "GET /v1/ping"),
        ("health", lambda h: h.version(), "2.8.3", "GET /v1/health"),
        ("names", lambda h: h.names("x"), ["fixture-lobby"], "GET /v1/database/x/names"),
        ("delete", lambda h: h.delete("x"), None, "DELETE /v1/database/x"),
        ("call-ok", lambda h: h.call("x", "r", [8]), None, "POST /v1/database/x/call/r"),
        (
            "publish-new",
            lambda h: h.publish("x", b"wasm"),
            "c200838eb33f276f2159dc3c778d89eb2d1bf22cb0bf007eb7c189102d2b1ec5",
            "PUT /v1/database/x?host_type=Wasm",
        ),
        (
            "publish-clear",
            lambda h: h.publish("x", b"wasm", clear=True),
            "c200838eb33f276f2159dc3c778d89eb2d1bf22cb0bf007eb7c189102d2b1ec5",
            "PUT /v1/database/x?host_type=Wasm&clear=true",
        ),
    ],
)
async def test_a_recorded_answer_is_understood(
    name: str, call: Call, answer: Any, request_line: str
) -> None:
    async with recorded(name) as server, StdbHttp(server.url) as http:
        assert await call(http) == answer
    assert server.requests[0].startswith(f"{request_line} HTTP".encode())


async def test_recorded_documents_are_understood() -> None:
    async with recorded("schema-v9") as server, StdbHttp(server.url) as http:
        schema = await http.schema("x")
        assert [r["name"] for r in schema["reducers"]][:2] == ["seed_rooms", "settle_street"]
        assert b"schema?version=9" in server.requests[0]
    async with recorded("sql") as server, StdbHttp(server.url) as http:
        assert (await http.sql("x", "SELECT"))[0]["rows"] == [[3, True, 0, 0]]
    async with recorded("logs") as server, StdbHttp(server.url) as http:
        assert "Database initialized" in await http.logs("x", 5)


async def test_a_new_identity_does_not_print_its_token() -> None:
    async with recorded("identity") as server, StdbHttp(server.url) as http:
        identity = await http.new_identity()
    assert identity.identity.startswith("c200d90161c1246360a9")
    assert identity.token == "<jwt>"
    assert "<jwt>" not in repr(identity)


@pytest.mark.parametrize(
    ("name", "call", "words"),
    [
        ("publish-bad-module", lambda h: h.publish("x", b""), "failed to parse WebAssembly"),
        ("publish-bad-name", lambda h: h.publish("x", b""), "invalid characters in database"),
        ("publish-other-identity", lambda h: h.publish("x", b""), "is not authorized to perform"),
        ("call-unknown", lambda h: h.call("x", "nope", []), "No such procedure"),
        ("call-bad-args", lambda h: h.call("x", "r", ["x"]), "expected u64"),
        ("unknown-database", lambda h: h.call("nope", "r", []), "`nope` not found"),
        ("sql-bad", lambda h: h.sql("x", "SELEC"), "sql parser error"),
        ("bad-token", lambda h: h.call("x", "r", []), "the token was refused"),
    ],
)
async def test_a_refusal_has_url_status_and_the_servers_own_words(
    name: str, call: Call, words: str
) -> None:
    server = recorded(name)
    error = await failure(server, call)
    assert error.status == RECORDED[name]["status"]
    assert server.url in str(error)
    assert str(error.status) in str(error)
    assert words in str(error)


async def test_a_long_answer_is_cut() -> None:
    error = await failure(Canned(500, "panicked " * 1000), lambda h: h.publish("x", b""))
    assert len(str(error)) < 400


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (Canned(404, "nothing here"), "404 nothing here"),
        (Canned(302, "", {"location": "http://elsewhere/"}), "302 a redirect to http://elsewhere/"),
        (Canned(200, "<html>hi</html>", {"content-type": "text/html"}), "HTML instead of metrics"),
        (Canned(200, "\n<!doctype html>"), "HTML instead of metrics"),
        (Canned(200, " \n"), "an empty page"),
        (Canned(502, "<html>bad gateway", {"content-type": "text/html"}), "502 (an HTML page)"),
    ],
)
async def test_a_bad_metrics_page_is_named_by_url_and_status(server: Canned, words: str) -> None:
    error = await failure(server, lambda http: http.metrics())
    assert words in str(error)
    assert f"{server.url}/v1/metrics" in str(error)


async def test_a_metrics_page_comes_back_as_it_is() -> None:
    async with Canned(200, "# HELP x y\nx 1\n") as server, StdbHttp(server.url) as http:
        assert await http.metrics() == "# HELP x y\nx 1\n"


@pytest.mark.parametrize(
    "server",
    [
        Canned(404, "not found"),
        Canned(200, "<html>welcome</html>", {"content-type": "text/html"}),
        Canned(200, '{"status": "ok"}'),
        Canned(200, "[1]"),
    ],
)
async def test_a_stranger_is_told_from_a_spacetimedb_server(server: Canned) -> None:
    async with server, StdbHttp(server.url) as http:
        with pytest.raises(TargetError, match=f"{server.url} is not a SpacetimeDB server"):
            await http.version()


@pytest.mark.parametrize("body", ["", "[]", '{"Success": {}}', '{"Success": null}'])
async def test_a_publish_without_an_identity_is_no_success(body: str) -> None:
    error = await failure(Canned(200, body), lambda http: http.publish("x", b""))
    assert error.status == 200


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_a_server_that_does_not_run_is_said_in_one_line() -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    async with StdbHttp(url) as http:
        with pytest.raises(HttpError, match="is the server running") as caught:
            await http.version()
    assert "onnection refused" in str(caught.value)
    assert f"cannot reach {url}" in str(caught.value)
    assert caught.value.status is None


async def test_https_where_only_http_is_spoken_is_said_as_such(engine: Server) -> None:
    async with StdbHttp(engine.url.replace("http", "https")) as http:
        with pytest.raises(HttpError) as caught:
            await http.version()
    told = str(caught.value)
    assert "TLS fails: wrong version number; does it speak https?" in told
    assert "not permitted" not in told


async def test_a_host_that_does_not_exist_is_said_in_one_line() -> None:
    async with StdbHttp("http://no-such-host.invalid:3000") as http:
        with pytest.raises(HttpError, match=r"reach http://no-such-host\.invalid:3000"):
            await http.ping()


async def test_a_server_that_never_answers_is_given_up() -> None:
    async with await silent_server() as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with StdbHttp(url, timeout_s=0.05) as http:
            with pytest.raises(HttpError, match=r"no answer within 0\.05 s"):
                await http.ping()


async def test_something_that_is_no_http_is_said() -> None:
    server = Canned(200)
    server._head = b"SSH-2.0-OpenSSH\r\n\r\n"
    await failure(server, lambda http: http.ping())


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    async with recorded("ping") as server, StdbHttp(server.url) as http:
        await http.ping()


async def test_the_token_is_sent_and_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = Canned(401, "Invalid token", {"spacetime-identity-token": "minted-secret"})
    error = await failure(server, lambda http: http.call("x", "r", []), token="my-secret")
    assert b"my-secret" in server.requests[0]
    shown = str(error) + repr(error) + repr(vars(error)) + caplog.text
    assert "secret" not in shown + repr(StdbHttp(server.url, token="my-secret"))


async def test_the_real_server_is_published_to_called_and_cleaned(
    engine: Server, lobby_wasm: bytes
) -> None:
    async with StdbHttp(engine.url) as http:
        token = (await http.new_identity()).token
        assert re.fullmatch(r"\d+\.\d+\.\d+.*", await http.version())
        await http.ping()
    async with StdbHttp(engine.url, token=token) as http:
        database = await http.publish("test-http-lobby", lobby_wasm)
        try:
            assert re.fullmatch("[0-9a-f]{64}", database)
            assert await http.names(database) == ["test-http-lobby"]
            reducers = [r["name"] for r in (await http.schema(database))["reducers"]]
            assert {"seed_rooms", "settle_street"} <= set(reducers)
            await http.call(database, "seed_rooms", [3])
            with pytest.raises(HttpError) as caught:
                await http.call(database, "no_such_reducer", [])
            assert caught.value.status == 404
            assert "spacetime_num_txns_total" in await http.metrics()
            with pytest.raises(HttpError, match="WebAssembly"):
                await http.publish("test-http-broken", b"no module")
            async with StdbHttp(engine.url) as stranger:
                with pytest.raises(HttpError):
                    await stranger.delete(database)
        finally:
            await http.delete(database)
        with pytest.raises(HttpError) as caught:
            await http.schema(database)
        assert caught.value.status == 404
