from __future__ import annotations

import asyncio
import http
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import picows.websockets
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from analyzer.errors import HttpError, PreflightError, UsageError
from analyzer.stdb import connection
from analyzer.stdb.connection import (
    closed_errors,
    closing_text,
    fast_available,
    open_connection,
    wants_picows,
)
from analyzer.stdb.http import StdbHttp
from analyzer.target import Server

pytestmark = pytest.mark.anyio


@pytest.fixture(params=[False, True], ids=["websockets", "picows"])
def fast(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@asynccontextmanager
async def serving(
    handler: Callable[[ServerConnection], object],
    process_request: Callable[[ServerConnection, Request], Response | None] | None = None,
    subprotocol: str = "v2.bsatn.spacetimedb",
) -> AsyncIterator[str]:
    server = await serve(
        handler,  # type: ignore[arg-type]
        "127.0.0.1",
        0,
        process_request=process_request,
        select_subprotocol=lambda _, offered: subprotocol or None,  # type: ignore[arg-type,return-value]
        compression=None,
    )
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def idle(socket: ServerConnection) -> None:
    await socket.wait_closed()


def refusing(status: int, text: str) -> Callable[[ServerConnection, Request], Response]:
    return lambda socket, request: socket.respond(http.HTTPStatus(status), text)


@pytest.mark.parametrize(
    ("status", "text", "message"),
    [
        (401, "Invalid token", r"the token was refused \(401\): Invalid token"),
        (404, "`nope` not found", "refused the WebSocket: 404 `nope` not found"),
        (400, "no valid protocol selected", "400 no valid protocol selected"),
    ],
)
async def test_a_refused_handshake_is_one_line_with_the_servers_words(
    fast: bool, status: int, text: str, message: str
) -> None:
    async with serving(idle, refusing(status, text)) as url:
        with pytest.raises(HttpError, match=message) as caught:
            await open_connection(url, "nope", token="my-secret", fast=fast)
    assert caught.value.status == status
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value) + repr(vars(caught.value))


async def test_a_server_that_does_not_run_is_said_in_one_line(fast: bool) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        with pytest.raises(HttpError, match="Connection refused; is the server running"):
            await open_connection(url, "x", fast=fast)


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 101 Swi"])
async def test_a_server_that_leaves_in_mid_handshake_is_one_line(fast: bool, reply: bytes) -> None:
    async def leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        writer.close()

    async with await asyncio.start_server(leave, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(HttpError, match=r"127\.0\.0\.1") as caught:
            await open_connection(url, "x", fast=fast)
    assert "\n" not in str(caught.value)


async def test_a_server_without_the_protocol_is_refused(fast: bool) -> None:
    async with serving(idle, subprotocol="") as url:
        with pytest.raises(HttpError, match=r"does not speak v3\.bsatn"):
            await open_connection(url, "x", protocol="v3.bsatn", fast=fast)


async def test_a_redirect_is_not_followed(fast: bool) -> None:
    def elsewhere(socket: ServerConnection, request: Request) -> Response:
        response = socket.respond(http.HTTPStatus.FOUND, "")
        response.headers["Location"] = "ws://127.0.0.1:1/"
        return response

    async with serving(idle, elsewhere) as url:
        with pytest.raises(HttpError, match="302"):
            await open_connection(url, "x", fast=fast)


async def test_an_unknown_protocol_is_refused_before_connecting(fast: bool) -> None:
    with pytest.raises(UsageError, match=r"'v1\.json': choose from v2\.bsatn, v3\.bsatn"):
        await open_connection("http://127.0.0.1:1", "x", protocol="v1.json", fast=fast)


async def test_query_and_headers_are_those_of_a_measured_client(
    fast: bool, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    seen: list[Request] = []
    async with serving(idle, lambda socket, request: seen.append(request)) as url:
        opened = await open_connection(url, "a b", token="my-secret", fast=fast)
        await opened.close()
    assert seen[0].path == "/v1/database/a%20b/subscribe?compression=None&confirmed=false"
    assert seen[0].headers["Authorization"] == "Bearer my-secret"
    assert "Sec-WebSocket-Extensions" not in seen[0].headers
    assert "my-secret" not in "".join(
        record.getMessage() for record in caplog.records if record.name != "websockets.server"
    )


async def test_the_ways_a_librarys_defaults_end_a_run_are_all_shut(
    fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pings end a client that a busy machine answers late for; 20 s are too long to see one."""
    asked: dict[str, object] = {}
    place, name = (picows.websockets, "connect") if fast else (connection, "_Connect")
    library = getattr(place, name)

    def connect(url: str, **options: object) -> object:
        asked.update(options)
        return library(url, **options)

    monkeypatch.setattr(place, name, connect)
    async with serving(idle) as url:
        await (await open_connection(url, "x", fast=fast)).close()
    shut = ("ping_interval", "max_size", "max_queue", "compression", "proxy", "open_timeout")
    assert [asked.get(option, "its default") for option in shut] == [None] * 6


async def test_a_client_that_reads_late_does_not_hold_up_its_server(fast: bool) -> None:
    """64 messages of 1 MiB are taken off the wire before the first of them is asked for."""
    sent = asyncio.Event()

    async def pushing(socket: ServerConnection) -> None:
        for _ in range(64):
            await socket.send(bytes(1 << 20))
        sent.set()
        await socket.wait_closed()

    async with serving(pushing) as url:
        client = await open_connection(url, "x", fast=fast)
        try:
            async with asyncio.timeout(30):
                await sent.wait()
                for _ in range(64):
                    assert len(await client.recv()) == 1 << 20
        finally:
            await client.close()


@pytest.mark.parametrize("size", [1_500_000, 20_000_000])
async def test_a_message_in_4_kib_fragments_arrives_whole(fast: bool, size: int) -> None:
    """20 MB are 4,883 fragments, above the 4,096 that `websockets` takes by default."""
    message = bytes(range(250)) * (size // 250)

    async def send(socket: ServerConnection) -> None:
        await socket.send(message[at : at + 4096] for at in range(0, size, 4096))
        await socket.wait_closed()

    async with serving(send) as url:
        opened = await open_connection(url, "x", fast=fast)
        received = await opened.recv()
        await opened.close()
    assert received == message


@pytest.mark.parametrize(("code", "reason"), [(1013, "too many requests"), (1000, "")])
async def test_an_ended_connection_tells_code_and_reason(
    fast: bool, code: int, reason: str
) -> None:
    async with serving(lambda socket: socket.close(code, reason)) as url:
        opened = await open_connection(url, "x", fast=fast)
        with pytest.raises(closed_errors()) as caught:
            await opened.recv()
        await opened.close()
    assert closing_text(caught.value) == f"{code} {reason}".rstrip()


async def test_a_connection_cut_without_a_word_is_1006(fast: bool) -> None:
    async def cut(socket: ServerConnection) -> None:
        socket.transport.abort()

    async with serving(cut) as url:
        opened = await open_connection(url, "x", fast=fast)
        with pytest.raises(closed_errors()) as caught:
            await opened.recv()
    assert closing_text(caught.value) == "1006 connection lost"


async def test_the_client_follows_the_users_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fast_available()
    assert wants_picows("auto")
    assert wants_picows("picows")
    assert not wants_picows("websockets")
    monkeypatch.setattr(connection, "fast_available", lambda: False)
    assert not wants_picows("auto")
    with pytest.raises(PreflightError, match=r"pip install 'stdb-sweep\[fast\]'"):
        wants_picows("picows")


async def test_the_real_server_refuses_a_junk_token_and_an_unknown_database(
    fast: bool, engine: Server, lobby_wasm: bytes
) -> None:
    with pytest.raises(HttpError) as caught:
        await open_connection(engine.url, "no-such-database", fast=fast)
    assert caught.value.status == 404
    async with StdbHttp(engine.url) as anyone:
        token = (await anyone.new_identity()).token
    async with StdbHttp(engine.url, token=token) as owner:
        database = await owner.publish("test-connection", lobby_wasm)
        try:
            with pytest.raises(HttpError, match="the token was refused") as caught:
                await open_connection(engine.url, database, token="junk-secret", fast=fast)
        finally:
            await owner.delete(database)
    assert caught.value.status == 401
    assert "secret" not in str(caught.value)
