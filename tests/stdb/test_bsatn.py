from __future__ import annotations

import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.errors import MeasurementError, UsageError
from analyzer.stdb.bsatn import Reader, Writer, encode_reducer_args
from tests.encoding import encode_u64

U64: dict[str, Any] = {"U64": []}
STRING: dict[str, Any] = {"String": []}
INTEGERS = [(kind, bits) for kind in "UI" for bits in (8, 16, 32, 64, 128, 256)]


def product(**fields: Any) -> dict[str, Any]:
    elements = [{"name": {"some": n}, "algebraic_type": t} for n, t in fields.items()]
    return {"Product": {"elements": elements}}


def sum_of(**variants: Any) -> dict[str, Any]:
    cases = [{"name": {"some": n}, "algebraic_type": t} for n, t in variants.items()]
    return {"Sum": {"variants": cases}}


UNIT = product()
IDENTITY = product(__identity__={"U256": []})


@pytest.mark.parametrize(("kind", "bits"), INTEGERS)
@given(data=st.data())
def test_integers_of_every_width_come_back(kind: str, bits: int, data: st.DataObject) -> None:
    signed = kind == "I"
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    value = data.draw(st.integers(low, high))
    encoded = encode_reducer_args([value], [{f"{kind}{bits}": []}])
    assert len(encoded) == bits // 8
    assert Reader(encoded).integer(bits, signed=signed) == value


@given(st.text(), st.binary(), st.booleans(), st.floats(allow_nan=False), st.integers(0, 255))
def test_what_the_writer_writes_the_reader_reads(
    text: str, data: bytes, flag: bool, number: float, byte: int
) -> None:
    written = Writer().string(text).blob(data).boolean(flag).f64(number).u8(byte).getvalue()
    reader = Reader(written)
    assert (reader.string(), reader.blob(), reader.boolean()) == (text, data, flag)
    assert (reader.f64(), reader.u8()) == (number, byte)
    assert reader.at_end


@given(st.floats(width=32))
def test_single_floats_come_back(number: float) -> None:
    back = Reader(encode_reducer_args([number], [{"F32": []}])).f32()
    assert back == number or (math.isnan(back) and math.isnan(number))


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.text()), max_size=5))
def test_arrays_of_products_come_back(rows: list[tuple[int, str]]) -> None:
    encoded = encode_reducer_args([rows], [{"Array": product(id=U64, name=STRING)}])
    reader = Reader(encoded)
    assert list(reader.array(lambda: (reader.integer(64), reader.string()))) == rows
    assert reader.at_end


@given(st.none() | st.text())
def test_options_come_back(value: str | None) -> None:
    encoded = encode_reducer_args([value], [sum_of(some=STRING, none=UNIT)])
    reader = Reader(encoded)
    assert reader.option(reader.string) == value


@given(st.binary(max_size=40), st.data())
def test_a_message_cut_anywhere_is_an_error_not_a_wrong_value(
    data: bytes, draw: st.DataObject
) -> None:
    whole = Writer().blob(data).u64(7).getvalue()
    cut = whole[: draw.draw(st.integers(0, len(whole) - 1))]
    reader = Reader(cut)
    with pytest.raises(MeasurementError, match="truncated message"):
        (reader.blob(), reader.integer(64))


def test_one_u64_is_eight_little_endian_bytes() -> None:
    assert encode_u64(258) == struct.pack("<Q", 258) == encode_reducer_args([258], [U64])


def test_an_identity_is_taken_as_hex_and_stored_backwards() -> None:
    encoded = encode_reducer_args(["c200" + "0" * 59 + "1"], [IDENTITY])
    assert encoded[0] == 1
    assert encoded[-1] == 0xC2


def test_references_are_looked_up_in_the_typespace() -> None:
    encoded = encode_reducer_args([{"id": 1, "name": "x"}], [{"Ref": 0}], [
        product(id=U64, name=STRING)
    ])  # fmt: skip
    assert encoded == encode_u64(1) + b"\x01\x00\x00\x00x"


def test_a_variant_is_chosen_by_its_name() -> None:
    kind = sum_of(Fold=UNIT, Raise=U64)
    assert encode_reducer_args([{"Raise": 5}], [kind]) == b"\x01" + encode_u64(5)
    assert encode_reducer_args([{"Fold": []}], [kind]) == b"\x00"


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (-1, U64, "argument 1: -1 does not fit into U64"),
        ("7", U64, "argument 1: '7' is no U64"),
        (True, U64, "argument 1: True is no U64"),
        (1, {"Bool": []}, "argument 1: 1 is no Bool"),
        (1, STRING, "argument 1: 1 is no String"),
        ("xyz", IDENTITY, r"argument 1\.__identity__: 'xyz' is no U256"),
        ([1, "x"], {"Array": U64}, r"argument 1\[1\]: 'x' is no U64"),
        ({"id": 1}, product(id=U64, name=STRING), "argument 1: the fields are id, name"),
        ([1], product(id=U64, name=STRING), "argument 1: 2 fields wanted, 1 given"),
        ({"id": "x"}, product(id=U64), r"argument 1\.id: 'x' is no U64"),
        ({"Call": []}, sum_of(Fold=UNIT), "argument 1: write one of Fold"),
        (1e300, {"F32": []}, "1e\\+300 does not fit into F32"),
        (1, {"Map": []}, "values of type Map cannot be encoded"),
    ],
)
def test_a_value_of_another_type_is_named_with_its_place(
    value: Any, kind: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        encode_reducer_args([value], [kind])


def test_a_wrong_number_of_arguments_is_said() -> None:
    with pytest.raises(UsageError, match="takes 1 arguments, 2 are given"):
        encode_reducer_args([1, 2], [U64])
