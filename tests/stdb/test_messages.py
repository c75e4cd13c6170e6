from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import MeasurementError
from analyzer.stdb.bsatn import Writer
from analyzer.stdb.messages import (
    TRANSACTION_UPDATE_HEAD,
    InitialConnection,
    Other,
    ReducerResult,
    SubscribeApplied,
    SubscriptionError,
    TransactionUpdate,
    UnsubscribeApplied,
    call_reducer,
    decode,
    split,
    subscribe,
    unsubscribe,
)
from tests.encoding import encode_u64

RECORDED = json.loads((Path(__file__).parent.parent / "fixtures/websocket.json").read_text())
PROTOCOLS = ["v2.bsatn", "v3.bsatn"]


def frames(protocol: str, sender: str) -> list[bytes]:
    return [
        bytes.fromhex(entry["frame"].removeprefix("hex:"))
        for entry in RECORDED[protocol]
        if entry["from"] == sender
    ]


def result(payload: bytes) -> bytes:
    return Writer().u8(6).u32(9).u64(0).raw(payload).getvalue()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_recorded_conversation_is_understood(protocol: str) -> None:
    messages = [m for frame in frames(protocol, "server") for m in split(frame, protocol)]
    connected, applied, update, own_call, refused = map(decode, messages)
    assert isinstance(connected, InitialConnection)
    assert connected.identity.startswith("c200")
    assert len(connected.identity) == 64
    assert isinstance(applied, SubscribeApplied)
    assert [(rows.table, rows.count) for rows in applied.rows] == [("active_game_anonymous", 8)]
    assert isinstance(update, TransactionUpdate)
    assert [rows.count for rows in update.inserts + update.deletes] == [1, 1]
    assert own_call == ReducerResult(2, None)
    assert isinstance(refused, SubscriptionError)
    assert refused.request_id == 3
    assert refused.error.startswith("no such table: `nope`")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_our_messages_are_those_of_the_recorded_client(protocol: str) -> None:
    assert frames(protocol, "client") == [
        subscribe(1, 1, ["SELECT * FROM active_game_anonymous"]),
        call_reducer(2, "settle_street", encode_u64(2)),
        subscribe(3, 2, ["SELECT * FROM nope"]),
    ]


def test_a_transaction_update_is_told_by_its_first_two_bytes() -> None:
    heads = [frame[:2] == TRANSACTION_UPDATE_HEAD for frame in frames("v2.bsatn", "server")]
    assert heads == [False, False, True, False, False]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=20))
def test_a_v3_frame_of_many_messages_is_split_into_each(order: list[int]) -> None:
    recorded = [frame[1:] for frame in frames("v3.bsatn", "server")]
    messages = [recorded[index] for index in order]
    assert split(b"\x00" + b"".join(messages), "v3.bsatn") == messages


@given(st.data())
def test_a_v3_frame_cut_inside_a_message_is_an_error(data: st.DataObject) -> None:
    whole = b"".join(frames("v3.bsatn", "server")[:1])
    cut = data.draw(st.integers(2, len(whole) - 1))
    with pytest.raises(MeasurementError, match="truncated"):
        split(whole[:cut], "v3.bsatn")


@pytest.mark.parametrize(("tag", "name"), [(1, "brotli"), (2, "gzip"), (9, "compression tag 9")])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_compressed_frame_is_refused_by_name(protocol: str, tag: int, name: str) -> None:
    with pytest.raises(MeasurementError, match=name):
        split(bytes([tag, 4, 0, 0]), protocol)


def test_an_empty_frame_is_refused() -> None:
    with pytest.raises(MeasurementError, match="empty frame"):
        split(b"", "v2.bsatn")


def test_a_message_with_bytes_behind_it_is_refused() -> None:
    with pytest.raises(MeasurementError, match="3 bytes behind a TransactionUpdate"):
        decode(b"\x04\x00\x00\x00\x00abc")


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (b"\x01", None),
        (
            Writer().u8(2).blob(Writer().string("no such room").getvalue()).getvalue(),
            "no such room",
        ),
        (Writer().u8(2).blob(b"\x07").getvalue(), "07"),
        (Writer().u8(2).blob(b"\x00\x00\x00\x00\x07").getvalue(), "0000000007"),
        (Writer().u8(3).string("the instance panicked").getvalue(), "the instance panicked"),
    ],
)
def test_a_reducer_result_says_how_it_ended(payload: bytes, error: str | None) -> None:
    assert decode(result(payload)) == ReducerResult(9, error)


def test_an_unknown_outcome_is_not_taken_for_a_success() -> None:
    with pytest.raises(MeasurementError, match="unknown outcome 4"):
        decode(result(b"\x04"))


def test_rows_of_event_tables_are_counted() -> None:
    rows = Writer().u8(1).u32(2).u64(0).u64(3).blob(b"abcdef").getvalue()
    message = Writer().u8(4).u32(1).u32(1).u32(1).string("t").u32(1).u8(1).raw(rows).getvalue()
    update = decode(message)
    assert isinstance(update, TransactionUpdate)
    assert [(rows.count, rows.data) for rows in update.inserts] == [(2, b"abcdef")]
    assert update.deletes == ()


def test_leaving_a_subscription_is_answered() -> None:
    assert unsubscribe(7, 1) == bytes.fromhex("01 07000000 01000000 00")
    assert decode(bytes.fromhex("02 07000000 01000000 01")) == UnsubscribeApplied(7, 1)
    with_rows = bytes.fromhex("02 07000000 01000000 00") + Writer().u32(0).getvalue()
    assert decode(with_rows) == UnsubscribeApplied(7, 1)


def test_an_unknown_message_is_tolerated_alone_but_not_among_others() -> None:
    assert split(b"\x00\x63abc", "v2.bsatn") == [b"\x63abc"]
    assert decode(b"\x63abc") == Other(0x63)
    with pytest.raises(MeasurementError, match="message 99 in a v3 frame"):
        split(b"\x00\x63abc", "v3.bsatn")


def test_a_token_is_not_printed() -> None:
    assert "secret" not in repr(InitialConnection("c200", "1", "secret"))
