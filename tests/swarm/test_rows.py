"""The rows a client holds: what it was sent, with every change applied."""

from __future__ import annotations

import pytest
from websockets.asyncio.server import ServerConnection

from analyzer.errors import MeasurementError
from analyzer.stdb.connection import PROTOCOLS
from analyzer.swarm.subscriber import Script
from analyzer.swarm.subscribers import Swarm
from tests.swarm.stub import Stub, frame, reducer_result, subscribe_applied

pytestmark = pytest.mark.anyio
OLD = b"12345678"


class Rows(Stub):
    """Each client starts with so many copies of one row; each push takes it back and sends it."""

    copies = 2

    async def on_subscribe(self, socket: ServerConnection) -> None:
        self.subscribers.append(socket)
        await socket.send(frame(subscribe_applied(OLD * self.copies, row_size=8)))


def keeping(client: int) -> Script:
    return Script(["SELECT * FROM room"], keep_rows=client > 0)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_rows_are_those_sent_with_all_changes_applied(fast: bool, protocol: str) -> None:
    async with Rows() as stub, Swarm(stub.url, "x", keeping, protocol=protocol, fast=fast) as swarm:
        await swarm.grow_to(2)
        for _ in range(5):
            await stub.push()
        assert await swarm.wait_deliveries([5, 5], timeout_s=10)
        assert [client.number for client in swarm.subscribers] == [0, 1]
        nothing, all_of_it = (client.rows() for client in swarm.subscribers)
        assert nothing == {}
        assert all_of_it == {"room": {OLD: 2}}


async def test_a_row_taken_back_that_was_never_sent_is_an_error(fast: bool) -> None:
    class Empty(Rows):
        copies = 0

    async with Empty() as stub, Swarm(stub.url, "x", keeping, fast=fast) as swarm:
        await swarm.grow_to(2)
        await stub.push()
        assert await swarm.wait_deliveries(1, timeout_s=10)
        with pytest.raises(MeasurementError, match="a row of room was taken back"):
            swarm.subscribers[1].rows()


async def test_a_client_whose_own_call_fails_is_named(fast: bool) -> None:
    class Refusing(Stub):
        async def on_call(self, socket: ServerConnection, request_id: int) -> None:
            await socket.send(frame(reducer_result(request_id, "the house is full")))

    def joining(client: int) -> Script:
        return Script(["SELECT * FROM room"], call=("join", b""))

    async with Refusing() as stub, Swarm(stub.url, "x", joining, fast=fast) as swarm:
        with pytest.raises(MeasurementError, match="client 0: its call of join fails: the house"):
            await swarm.grow_to(1)
        assert stub.subscribers == []
