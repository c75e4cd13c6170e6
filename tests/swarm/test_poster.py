"""Calls over HTTP: what the server answers, and what befalls a connection."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from analyzer.errors import HttpError, MeasurementError
from analyzer.swarm.poster import Poster

pytestmark = pytest.mark.anyio

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
FAILED = b"HTTP/1.1 530 \r\ncontent-length: 12\r\n\r\nno\nsuch room"


def one(index: int) -> bytes:
    return b"[%d]" % index


@contextlib.asynccontextmanager
async def answering(*answers: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that gives these answers on one connection, then hangs up."""
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError):
            for text in answers:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                asked.append(head + await reader.readexactly(length))
                writer.write(text)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", asked


async def test_calls_go_out_one_after_another_with_their_arguments_and_token() -> None:
    async with answering(OK, OK, OK) as (url, asked), Poster(url, "a b", token="t-1") as poster:
        run = await poster.write("settle", one, 3)
    assert (run.sent, run.acknowledged, run.failed_count, run.open_loop) == (3, 3, 0, False)
    assert (run.latencies_ms > 0).all()
    heads, bodies = zip(*(request.split(b"\r\n\r\n") for request in asked), strict=True)
    assert bodies == (b"[0]", b"[1]", b"[2]")
    for head in heads:
        assert head.startswith(b"POST /v1/database/a%20b/call/settle HTTP/1.1\r\n")
        assert b"\r\nAuthorization: Bearer t-1\r\n" in head
        assert b"\r\nContent-Type: application/json\r\n" in head


async def test_a_refusal_is_counted_with_its_status_and_words() -> None:
    async with answering(OK, FAILED, FAILED, OK) as (url, _), Poster(url, "x", token="t") as poster:
        run = await poster.write("settle", one, 4)
    assert (run.acknowledged, run.failed_count) == (2, 2)
    assert run.failed == ("530 no such room",)
    assert len(run.latencies_ms) == 2


async def test_a_connection_that_ends_says_after_how_many_calls() -> None:
    async with answering(OK, OK) as (url, _), Poster(url, "x", token="t") as poster:
        with pytest.raises(MeasurementError, match=r"ended .* after 2 of 5 calls"):
            await poster.write("settle", one, 5)


async def test_an_answer_without_a_length_is_refused() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    async with answering(chunked) as (url, _), Poster(url, "x", token="t") as poster:
        with pytest.raises(MeasurementError, match="without Content-Length"):
            await poster.write("settle", one, 1)


async def test_a_server_that_does_not_answer_ends_the_run() -> None:
    half = b"HTTP/1.1 200 OK\r\n"
    async with answering(half, OK) as (url, _), Poster(url, "x", token="t") as poster:
        with pytest.raises(MeasurementError, match=r"no answer within 0\.1 s, after 0 of 2"):
            await poster.write("settle", one, 2, timeout_s=0.1)


async def test_a_server_that_is_not_there_is_named() -> None:
    async with answering() as (url, _):
        pass
    with pytest.raises(HttpError, match=f"cannot reach {url}: Connection refused"):
        async with Poster(url, "x", token="t"):
            pass
