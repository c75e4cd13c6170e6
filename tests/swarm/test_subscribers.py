from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

import pytest
from websockets.asyncio.server import ServerConnection

from analyzer.errors import HttpError, MeasurementError
from analyzer.stdb.connection import PROTOCOLS
from analyzer.swarm.subscribers import Swarm
from analyzer.swarm.writer import Writer
from tests.swarm.stub import (
    Stub,
    frame,
    initial_connection,
    subscribe_applied,
    subscription_error,
    transaction_update,
)

pytestmark = pytest.mark.anyio
QUERIES = ["SELECT * FROM room"]


def swarm_of(stub: Stub, fast: bool, protocol: str = "v2.bsatn", *, shared: bool = False) -> Swarm:
    return Swarm(
        stub.url,
        "x",
        QUERIES,
        protocol=protocol,
        parallel=4,
        fast=fast,
        allow_shared_identity=shared,
    )


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while True:
            if condition():
                return
            await asyncio.sleep(0.001)


async def no_task_is_left() -> None:
    """Tasks of ours; a cancelled one needs a turn of the loop to end."""
    await asyncio.sleep(0)
    left = [task for task in asyncio.all_tasks() if "subscriber" in repr(task).lower()]
    assert left == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_every_write_is_counted_once_per_client(fast: bool, protocol: str) -> None:
    async with Stub() as stub, swarm_of(stub, fast, protocol) as swarm:
        await swarm.grow_to(5)
        await stub.push()
        assert await swarm.wait_deliveries(1, timeout_s=10)
        swarm.begin_window()
        async with Writer(stub.url, "x", protocol=protocol, fast=fast) as writer:
            await writer.write("w", lambda _: b"", 3)
        assert await swarm.wait_deliveries(3, timeout_s=10)
        assert swarm.window_deliveries() == [3] * 5


async def test_it_grows_in_steps_and_tells_its_progress(fast: bool) -> None:
    told: list[tuple[int, int]] = []
    async with Stub() as stub:
        swarm = Swarm(
            stub.url, "x", QUERIES, fast=fast, progress=lambda done, of: told.append((done, of))
        )
        await swarm.grow_to(0)
        assert await swarm.wait_deliveries(0, timeout_s=0)
        await swarm.grow_to(3)
        first = swarm.identities
        await swarm.grow_to(5)
        assert swarm.identities[:3] == first
        assert len(set(swarm.identities)) == swarm.size == swarm.live == 5
        assert told == [(1, 3), (2, 3), (3, 3), (4, 5), (5, 5)]
        await swarm.close()
        await swarm.close()
        assert swarm.size == 0


async def test_no_more_connections_are_opened_at_once_than_asked(fast: bool) -> None:
    class Watching(Stub):
        opening = highest = 0

        async def on_connect(self, socket: ServerConnection) -> None:
            self.opening += 1
            self.highest = max(self.highest, self.opening)
            await super().on_connect(socket)

        async def on_subscribe(self, socket: ServerConnection) -> None:
            self.opening -= 1
            await super().on_subscribe(socket)

    async with Watching() as stub, swarm_of(stub, fast) as swarm:
        await swarm.grow_to(30)
        assert 1 < stub.highest <= 4


class OneIdentity(Stub):
    async def on_connect(self, socket: ServerConnection) -> None:
        await socket.send(frame(initial_connection(7)))


async def test_shared_identities_are_refused_and_all_clients_closed(fast: bool) -> None:
    async with OneIdentity() as stub:
        swarm = swarm_of(stub, fast)
        with pytest.raises(MeasurementError, match="3 clients have 1 identities") as caught:
            await swarm.grow_to(3)
        assert "views belong to identities" in str(caught.value)
        assert swarm.size == 0
        await no_task_is_left()


async def test_shared_identities_can_be_allowed(fast: bool) -> None:
    async with OneIdentity() as stub, swarm_of(stub, fast, shared=True) as swarm:
        await swarm.grow_to(3)
        assert set(swarm.identities) == {f"{7:064x}"}


async def test_a_refused_subscription_shows_the_servers_words(fast: bool) -> None:
    class Refusing(Stub):
        async def on_subscribe(self, socket: ServerConnection) -> None:
            if len(self.subscribers) == 6:
                await socket.send(frame(subscription_error("no such table: `nope`")))
            else:
                await super().on_subscribe(socket)

    async with Refusing() as stub:
        swarm = swarm_of(stub, fast)
        with pytest.raises(MeasurementError, match="no such table: `nope`"):
            await swarm.grow_to(20)
        assert (swarm.size, swarm.live) == (0, 0)
        for subscriber in stub.subscribers:
            await asyncio.wait_for(subscriber.wait_closed(), 5)
        await no_task_is_left()


async def test_a_server_that_hangs_up_before_the_subscription_is_said(fast: bool) -> None:
    class HangingUp(Stub):
        async def on_subscribe(self, socket: ServerConnection) -> None:
            await socket.close(1011, "module gone")

    async with HangingUp() as stub:
        with pytest.raises(MeasurementError, match="before it was subscribed: 1011 module gone"):
            await swarm_of(stub, fast).grow_to(2)


async def test_a_server_that_never_applies_is_given_up(
    fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mute(Stub):
        async def on_subscribe(self, socket: ServerConnection) -> None: ...

    monkeypatch.setattr("analyzer.swarm.subscriber._SUBSCRIBE_S", 0.05)
    async with Mute() as stub:
        with pytest.raises(MeasurementError, match=r"not applied within 0 s"):
            await swarm_of(stub, fast).grow_to(2)
        await no_task_is_left()


async def test_a_server_that_cannot_be_reached_is_said(fast: bool) -> None:
    async with Stub() as stub:
        swarm = swarm_of(stub, fast)
    with pytest.raises(HttpError, match="cannot reach"):
        await swarm.grow_to(2)


async def test_growing_that_is_cancelled_leaves_nothing_behind(fast: bool) -> None:
    class Slow(Stub):
        reached = False

        async def on_subscribe(self, socket: ServerConnection) -> None:
            if len(self.subscribers) < 3:
                await super().on_subscribe(socket)
            else:
                self.reached = True

    async with Slow() as stub:
        swarm = swarm_of(stub, fast)
        growing = asyncio.create_task(swarm.grow_to(10))
        await until(lambda: stub.reached)
        growing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await growing
        assert swarm.size == 0
        await no_task_is_left()


async def test_a_server_that_never_pushes_is_noticed(fast: bool) -> None:
    """Alive but not streaming: calls are acknowledged and nothing arrives."""

    class Silent(Stub):
        async def push(self) -> None: ...

    async with Silent() as stub, swarm_of(stub, fast) as swarm:
        await swarm.grow_to(2)
        swarm.begin_window()
        async with Writer(stub.url, "x", fast=fast) as writer:
            run = await writer.write("w", lambda _: b"", 2)
        assert run.acknowledged == 2
        assert not await swarm.wait_deliveries(2, timeout_s=0.05)
        assert swarm.window_deliveries() == [0, 0]


async def test_clients_that_are_thrown_out_are_counted_by_cause(fast: bool) -> None:
    async with Stub() as stub, swarm_of(stub, fast) as swarm:
        await swarm.grow_to(4)
        swarm.begin_window()
        out = stub.subscribers[:3]
        stub.subscribers = stub.subscribers[3:]
        await out[0].close(1013, "too many requests")
        await out[1].close(1013, "too many requests")
        out[2].transport.abort()
        await stub.push()
        assert not await swarm.wait_deliveries(1, timeout_s=10)
        await until(lambda: swarm.live == 1)
        assert swarm.closings == Counter({"1013 too many requests": 2, "1006 connection lost": 1})
        assert sum(swarm.window_deliveries()) == 1
        assert swarm.size == 4


async def test_a_subscription_that_fails_later_is_no_live_client(fast: bool) -> None:
    async with Stub() as stub, swarm_of(stub, fast) as swarm:
        await swarm.grow_to(2)
        await stub.subscribers[0].send(frame(subscription_error("out of fuel")))
        await until(lambda: swarm.live == 1)
        assert swarm.closings == Counter({"subscription ended: out of fuel": 1})


async def test_several_updates_in_one_v3_frame_are_counted_each(fast: bool) -> None:
    class Coalescing(Stub):
        async def on_subscribe(self, socket: ServerConnection) -> None:
            self.subscribers.append(socket)
            await socket.send(frame(subscribe_applied(), transaction_update()))

        async def push(self) -> None:
            for subscriber in self.subscribers:
                await subscriber.send(frame(*[transaction_update()] * 3))

    async with Coalescing() as stub, swarm_of(stub, fast, "v3.bsatn") as swarm:
        await swarm.grow_to(2)
        swarm.begin_window()
        await stub.push()
        await stub.push()
        assert await swarm.wait_deliveries(6, timeout_s=10)
        assert swarm.window_deliveries() == [6, 6]


async def test_a_compressed_update_is_an_error_not_a_missing_delivery(fast: bool) -> None:
    async with Stub() as stub, swarm_of(stub, fast) as swarm:
        await swarm.grow_to(1)
        await stub.subscribers[0].send(b"\x01brotli")
        with pytest.raises(MeasurementError, match="compressed frame"):
            await swarm.wait_deliveries(1, timeout_s=10)


async def test_a_large_first_snapshot_in_4_kib_fragments_is_one_message(fast: bool) -> None:
    rows = bytes(1_500_000)
    message = frame(subscribe_applied(rows, row_size=100))

    class Fragmenting(Stub):
        async def on_subscribe(self, socket: ServerConnection) -> None:
            self.subscribers.append(socket)
            await socket.send(message[at : at + 4096] for at in range(0, len(message), 4096))

    async with Fragmenting() as stub, swarm_of(stub, fast) as swarm:
        await swarm.grow_to(2)
        await stub.push()
        assert await swarm.wait_deliveries(1, timeout_s=10)
        update, hello = frame(transaction_update()), frame(initial_connection(1))
        assert swarm.bytes_received == 2 * (len(message) + len(update) + len(hello))


async def test_a_burst_is_not_held_back_or_lost(fast: bool) -> None:
    async with Stub() as stub, swarm_of(stub, fast) as swarm:
        await swarm.grow_to(2)
        swarm.begin_window()
        for _ in range(5_000):
            await stub.push()
        assert await swarm.wait_deliveries(5_000, timeout_s=30)
        assert swarm.window_deliveries() == [5_000, 5_000]
