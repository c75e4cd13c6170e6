"""The messages of the v2 and v3 WebSocket protocols: what a client sends, what a server answers.

A v3 frame is one or more v2 messages, one behind the other. Every server frame starts with a
compression tag; the sweep asks for none.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from analyzer.errors import MeasurementError
from analyzer.stdb.bsatn import Reader, Writer

TRANSACTION_UPDATE_HEAD = b"\x00\x04"
"""First two bytes of a v2 frame with a TransactionUpdate: uncompressed, fifth variant."""

_COMPRESSIONS = {1: "brotli", 2: "gzip"}


def subscribe(request_id: int, query_set_id: int, queries: Sequence[str]) -> bytes:
    writer = Writer().u8(0).u32(request_id).u32(query_set_id).u32(len(queries))
    for query in queries:
        writer.string(query)
    return writer.getvalue()


def unsubscribe(request_id: int, query_set_id: int) -> bytes:
    return Writer().u8(1).u32(request_id).u32(query_set_id).u8(0).getvalue()


def call_reducer(request_id: int, reducer: str, args: bytes) -> bytes:
    """`args` is the BSATN of all arguments, one behind the other."""
    return Writer().u8(3).u32(request_id).u8(0).string(reducer).blob(args).getvalue()


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one table, still encoded."""

    table: str
    count: int
    data: bytes = field(repr=False)
    starts: bytes = field(default=b"", repr=False)
    """Where each row starts in `data`, as u64; empty when all rows have the same size."""

    def split(self) -> list[bytes]:
        """Each row by itself."""
        if self.starts:
            starts = [*struct.unpack(f"<{self.count}Q", self.starts), len(self.data)]
        else:
            size = len(self.data) // max(self.count, 1)
            starts = [size * number for number in range(self.count + 1)]
        return [self.data[start:end] for start, end in pairwise(starts)]


@dataclass(frozen=True, slots=True)
class InitialConnection:
    identity: str
    """64 hex digits."""
    connection_id: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SubscribeApplied:
    request_id: int
    query_set_id: int
    rows: tuple[Rows, ...]


@dataclass(frozen=True, slots=True)
class UnsubscribeApplied:
    request_id: int
    query_set_id: int


@dataclass(frozen=True, slots=True)
class SubscriptionError:
    request_id: int | None
    """None when the subscription failed after it had been applied."""
    query_set_id: int
    error: str


@dataclass(frozen=True, slots=True)
class TransactionUpdate:
    inserts: tuple[Rows, ...]
    """Rows of event tables count as inserts."""
    deletes: tuple[Rows, ...]


@dataclass(frozen=True, slots=True)
class ReducerResult:
    request_id: int
    error: str | None
    """None when the transaction committed."""


@dataclass(frozen=True, slots=True)
class Other:
    """A message the sweep never asks for, known by its tag alone."""

    tag: int


ServerMessage = (
    InitialConnection
    | SubscribeApplied
    | UnsubscribeApplied
    | SubscriptionError
    | TransactionUpdate
    | ReducerResult
    | Other
)


def split(frame: bytes, protocol: str) -> list[bytes]:
    """The messages of one server frame, without its compression tag.

    Raises MeasurementError for a compressed or truncated frame.
    """
    if not frame:
        raise MeasurementError("the server sent an empty frame")
    if frame[0]:
        name = _COMPRESSIONS.get(frame[0], f"compression tag {frame[0]}")
        raise MeasurementError(f"the server sent a compressed frame ({name}) though none was asked")
    if protocol == "v2.bsatn":
        return [frame[1:]]
    messages = []
    reader = Reader(frame, 1)
    while not reader.at_end:
        start = reader.position
        message = _read(reader)
        if isinstance(message, Other):
            raise MeasurementError(
                f"server message {message.tag} in a v3 frame: its end is unknown"
            )
        messages.append(frame[start : reader.position])
    return messages


def decode(message: bytes) -> ServerMessage:
    """Decode one message of `split`. Raises MeasurementError when it is truncated or too long."""
    reader = Reader(message)
    decoded = _read(reader)
    if not (reader.at_end or isinstance(decoded, Other)):
        raise MeasurementError(
            f"{len(message) - reader.position} bytes behind a {type(decoded).__name__}"
        )
    return decoded


def _read(reader: Reader) -> ServerMessage:
    match reader.u8():
        case 0:
            identity, connection = reader.integer(256), reader.integer(128)
            return InitialConnection(f"{identity:064x}", f"{connection:032x}", reader.string())
        case 1:
            return SubscribeApplied(reader.u32(), reader.u32(), _query_rows(reader))
        case 2:
            applied = UnsubscribeApplied(reader.u32(), reader.u32())
            reader.option(lambda: _query_rows(reader))
            return applied
        case 3:
            return SubscriptionError(reader.option(reader.u32), reader.u32(), reader.string())
        case 4:
            return _transaction_update(reader)
        case 6:
            return _reducer_result(reader)
        case tag:
            return Other(tag)


def _query_rows(reader: Reader) -> tuple[Rows, ...]:
    return reader.array(lambda: _rows(reader, reader.string()))


def _rows(reader: Reader, table: str) -> Rows:
    """A row list: a size hint (0: every row's size, 1: an offset per row), then the bytes."""
    if reader.u8() == 0:
        size = reader.u16()
        data = reader.blob()
        return Rows(table, len(data) // size if size else 0, data)
    count = reader.u32()
    starts = reader.take(8 * count)
    return Rows(table, count, reader.blob(), starts)


def _transaction_update(reader: Reader) -> TransactionUpdate:
    inserts: list[Rows] = []
    deletes: list[Rows] = []

    def table() -> None:
        name = reader.string()
        reader.array(lambda: changes(name))

    def changes(name: str) -> None:
        persistent = reader.u8() == 0
        inserts.append(_rows(reader, name))
        if persistent:
            deletes.append(_rows(reader, name))

    def query_set() -> None:
        reader.u32()
        reader.array(table)

    reader.array(query_set)
    return TransactionUpdate(tuple(inserts), tuple(deletes))


def _reducer_result(reader: Reader) -> ReducerResult:
    request_id = reader.u32()
    reader.integer(64, signed=True)  # the time when it started
    match reader.u8():
        case 0:
            reader.blob()  # the return value
            _transaction_update(reader)
            return ReducerResult(request_id, None)
        case 1:
            return ReducerResult(request_id, None)
        case 2:
            return ReducerResult(request_id, _error_text(reader.blob()))
        case 3:
            return ReducerResult(request_id, reader.string())
        case outcome:
            raise MeasurementError(f"unknown outcome {outcome} of a reducer call")


def _error_text(payload: bytes) -> str:
    """A reducer's error is a value of its own type: nearly always a string, else shown as hex."""
    reader = Reader(payload)
    try:
        text = reader.string()
    except MeasurementError:
        return payload.hex()
    return text if reader.at_end else payload.hex()
