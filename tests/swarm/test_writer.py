from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from typing import ClassVar

import pytest
from websockets.asyncio.server import ServerConnection

from analyzer.errors import HttpError, MeasurementError
from analyzer.stdb.connection import PROTOCOLS
from analyzer.swarm.writer import Writer, late_beyond_s
from tests.encoding import encode_u64
from tests.swarm.stub import Stub, frame, initial_connection, reducer_result, transaction_update

pytestmark = pytest.mark.anyio


def no_args(index: int) -> bytes:
    return b""


class Recording(Stub):
    """Keeps the request ids and how many calls were open when each came in."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    async def on_call(self, socket: ServerConnection, request_id: int) -> None:
        self.calls.append(request_id)
        await super().on_call(socket, request_id)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_closed_loop_has_one_write_in_flight(fast: bool, protocol: str) -> None:
    class Holding(Recording):
        held = 0

        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            self.held += 1
            assert self.held == 1
            await asyncio.sleep(0)
            self.held -= 1
            await super().on_call(socket, request_id)

    async with Holding() as stub, Writer(stub.url, "x", protocol=protocol, fast=fast) as writer:
        run = await writer.write("settle_street", encode_u64, 20)
        again = await writer.write("settle_street", encode_u64, 5)
    assert (run.sent, run.acknowledged, run.failed_count, run.failed) == (20, 20, 0, ())
    assert (run.late, run.open_loop, len(run.latencies_ms)) == (0, False, 20)
    assert (run.latencies_ms > 0).all()
    assert run.achieved == pytest.approx(20 / run.wall_s)
    assert again.acknowledged == 5
    assert all(later == earlier + 1 for earlier, later in pairwise(stub.calls))


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_closed_loop_with_a_depth_keeps_so_many_in_flight(
    fast: bool, protocol: str
) -> None:
    """The server answers none before three are open, or the last ones are."""

    class Withholding(Recording):
        held: ClassVar[list[int]] = []

        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            self.held.append(request_id)
            assert len(self.held) <= 3
            if len(self.held) == 3 or request_id == 20:
                for held in reversed(self.held):
                    await super().on_call(socket, held)
                self.held.clear()

    async with Withholding() as stub, Writer(stub.url, "x", protocol=protocol, fast=fast) as writer:
        run = await writer.write("transfer", encode_u64, 20, depth=3)
    assert (run.sent, run.acknowledged, run.open_loop) == (20, 20, False)
    assert (run.latencies_ms > 0).all()
    assert sorted(stub.calls) == list(range(1, 21))


async def test_arguments_are_made_from_the_index(fast: bool) -> None:
    asked: list[int] = []

    def args(index: int) -> bytes:
        asked.append(index)
        return encode_u64(index)

    async with Stub() as stub, Writer(stub.url, "x", fast=fast) as writer:
        await writer.write("w", args, 4)
        await writer.write("w", args, 2, rate=1000)
    assert asked == [0, 1, 2, 3, 0, 1]


class Failing(Stub):
    """Every third call fails, with two texts in turn."""

    async def on_call(self, socket: ServerConnection, request_id: int) -> None:
        texts = {0: "no such room", 3: "table is full"}
        await socket.send(frame(reducer_result(request_id, texts.get(request_id % 6))))


@pytest.mark.parametrize("rate", [None, 2000])
async def test_writes_that_fail_are_counted_apart(fast: bool, rate: float | None) -> None:
    async with Failing() as stub, Writer(stub.url, "x", fast=fast) as writer:
        run = await writer.write("w", no_args, 30, rate=rate)
    assert (run.sent, run.acknowledged, run.failed_count) == (30, 20, 10)
    assert sorted(run.failed) == ["no such room", "table is full"]
    assert len(run.latencies_ms) == 20


async def test_a_stall_of_one_second_shows_in_every_write_it_delayed(fast: bool) -> None:
    """100 writes/s and a server that stops for 1 s: about 100 delayed samples, not one."""

    class Stalling(Stub):
        calls = 0

        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            self.calls += 1
            if self.calls == 20:
                await asyncio.sleep(1)
            await super().on_call(socket, request_id)

    async with Stalling() as stub, Writer(stub.url, "x", fast=fast) as writer:
        run = await writer.write("w", no_args, 150, rate=100)
    delayed = int((run.latencies_ms > 30).sum())
    assert 80 <= delayed <= 120
    assert run.latencies_ms.max() > 900
    assert run.open_loop
    assert run.acknowledged == 150


async def test_a_stall_of_this_process_shows_in_every_write_it_delayed(fast: bool) -> None:
    """Sent late, answered at once: latency from the send would show nothing of it."""

    def stalling(index: int) -> bytes:
        if index == 10:
            time.sleep(0.3)
        return b""

    async with Stub() as stub, Writer(stub.url, "x", fast=fast) as writer:
        run = await writer.write("w", stalling, 50, rate=100)
    assert int((run.latencies_ms > 30).sum()) >= 25
    assert run.latencies_ms.max() >= 290
    assert run.late >= 25


async def test_the_same_stall_in_a_closed_loop_is_one_sample(fast: bool) -> None:
    class Stalling(Stub):
        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            if request_id == 20:
                await asyncio.sleep(0.3)
            await super().on_call(socket, request_id)

    async with Stalling() as stub, Writer(stub.url, "x", fast=fast) as writer:
        run = await writer.write("w", no_args, 50)
    assert int((run.latencies_ms >= 290).sum()) == 1


async def test_acknowledgements_out_of_order_are_matched_by_request(fast: bool) -> None:
    class Reversing(Stub):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[int] = []

        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            self.open.append(request_id)
            if len(self.open) == 10:
                answers = [reducer_result(i, "odd" if i % 2 else None) for i in self.open[::-1]]
                await socket.send(frame(transaction_update(), *answers))

    async with Reversing() as stub, Writer(stub.url, "x", protocol="v3.bsatn", fast=fast) as writer:
        run = await writer.write("w", no_args, 10, rate=500)
    assert (run.acknowledged, run.failed_count, run.failed) == (5, 5, ("odd",))
    assert run.latencies_ms.min() < run.latencies_ms.max()


async def test_a_write_is_late_when_it_is_nearer_to_the_next_ones_time() -> None:
    """At high rates only beyond what no timer keeps to."""
    assert [late_beyond_s(interval_s) for interval_s in (1.0, 0.05, 0.001)] == [0.5, 0.025, 0.005]


async def test_a_generator_that_is_too_slow_says_so(fast: bool) -> None:
    """Arguments that take longer than the interval: the writes go out late and slowly."""

    def slow(index: int) -> bytes:
        for _ in range(200_000):
            pass
        return b""

    async with Stub() as stub, Writer(stub.url, "x", fast=fast) as writer:
        run = await writer.write("w", slow, 100, rate=10_000)
    assert run.late > 50
    assert run.achieved < 9_500
    assert run.acknowledged == 100


@pytest.mark.parametrize("rate", [None, 1000])
async def test_a_connection_that_dies_tells_how_far_it_got(fast: bool, rate: float | None) -> None:
    class Dying(Stub):
        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            if request_id == 7:
                await socket.close(1011, "module crashed")
            else:
                await super().on_call(socket, request_id)

    async with Dying() as stub, Writer(stub.url, "x", fast=fast) as writer:
        with pytest.raises(MeasurementError) as caught:
            await writer.write("settle", no_args, 50, rate=rate)
    assert str(caught.value) == (
        "settle: the writer's connection ended (1011 module crashed) "
        "after 6 of 50 writes were acknowledged"
    )


@pytest.mark.parametrize("rate", [None, 1000])
async def test_an_acknowledgement_that_never_comes_is_given_up(
    fast: bool, rate: float | None
) -> None:
    class Forgetful(Stub):
        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            if request_id != 3:
                await super().on_call(socket, request_id)

    async with Forgetful() as stub, Writer(stub.url, "x", fast=fast) as writer:
        with pytest.raises(MeasurementError, match=r"no acknowledgement within 0\.2 s"):
            await writer.write("settle", no_args, 4, rate=rate, timeout_s=0.2)
        run = await writer.write("settle", no_args, 4)
    assert run.acknowledged == 4


async def test_an_answer_to_a_run_given_up_is_not_counted_in_the_next(fast: bool) -> None:
    class Late(Stub):
        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            if request_id == 1:
                return
            if request_id == 2:
                await super().on_call(socket, 1)
            await super().on_call(socket, request_id)

    async with Late() as stub, Writer(stub.url, "x", fast=fast) as writer:
        with pytest.raises(MeasurementError, match="after 0 of 1 writes"):
            await writer.write("settle", no_args, 1, timeout_s=0.05)
        run = await writer.write("settle", no_args, 2)
    assert (run.sent, run.acknowledged) == (2, 2)


async def test_a_writer_that_is_refused_says_why(fast: bool) -> None:
    async with Stub() as stub:
        writer = Writer(stub.url, "x", fast=fast)
    with pytest.raises(HttpError, match="cannot reach"):
        async with writer:
            pass


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (frame(transaction_update()), "first message names no identity"),
        (b"\x02" + initial_connection(1), "compressed frame"),
        (None, "ended the writer's connection: 1011"),
    ],
)
async def test_a_writer_waits_for_a_sound_first_message(
    fast: bool, first: bytes | None, words: str
) -> None:
    class Odd(Stub):
        async def on_connect(self, socket: ServerConnection) -> None:
            await (socket.close(1011) if first is None else socket.send(first))

    async with Odd() as stub:
        with pytest.raises(MeasurementError, match=words):
            async with Writer(stub.url, "x", fast=fast):
                pass
