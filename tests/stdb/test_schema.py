"""What a database says of itself, on a module that is none of ours."""

from __future__ import annotations

import asyncio
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer.calls import tables
from analyzer.databases import Databases
from analyzer.errors import MeasurementError, UsageError
from analyzer.stdb.bsatn import Reader, encode_reducer_args
from analyzer.stdb.decode import decode_value
from analyzer.stdb.http import StdbHttp
from analyzer.stdb.messages import Rows
from analyzer.stdb.schema import Schema, View
from analyzer.target import Server


@pytest.fixture(scope="module")
def auction(
    engine: Server, strange_modules: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Schema:
    async def read() -> Schema:
        async with StdbHttp(engine.url, (await _owner(engine.url))) as http:
            journal = tmp_path_factory.mktemp("auction") / "databases.txt"
            wasm = strange_modules["auction"].read_bytes()
            async with Databases(http, journal).fresh("auction", wasm) as database:
                assert await http.identity(database) == database
                return Schema(await http.schema(database))

    return asyncio.run(read())


async def _owner(url: str) -> str:
    async with StdbHttp(url) as http:
        return (await http.new_identity()).token


def test_views_are_told_apart_by_sender_parameters_and_queries(auction: Schema) -> None:
    assert set(auction.views) == {
        View("front_page", anonymous=False, parameters=(), query=False),
        View("front_page_shared", anonymous=True, parameters=(), query=False),
        View("one_category", anonymous=True, parameters=(("category", "U32"),), query=False),
        View("bargains", anonymous=True, parameters=(), query=True),
        View("my_watch_list", anonymous=False, parameters=(), query=False),
    }
    assert auction.uncounted(tables("SELECT * FROM bargains WHERE id = 3"))
    assert not auction.uncounted(tables("SELECT listing.* FROM one_category(2) JOIN listing"))


def test_arguments_are_encoded_by_the_schema(auction: Schema) -> None:
    encoded = auction.encode("bid", [7, {"raise": 5, "currency": {"gold": []}}, None])
    assert encoded == struct.pack("<II", 7, 5) + b"\x01" + b"\x01"


@pytest.mark.parametrize(
    ("reducer", "values", "told"),
    [
        ("buy", [], "the database has no reducer 'buy': it has"),
        ("bid", [7], "bid: the reducer takes 3 arguments, 1 are given"),
        ("bid", [-1, {"raise": 5, "currency": {"gold": []}}, None], "bid: argument 1: -1"),
        ("bid", [1, {"raise": 5, "currency": {"lead": []}}, None], "silver, gold"),
    ],
)
def test_a_call_that_does_not_fit_is_told_by_name(
    auction: Schema, reducer: str, values: list, told: str
) -> None:
    with pytest.raises(UsageError) as error:
        auction.encode(reducer, values)
    assert told in str(error.value)


def test_rows_of_tables_views_and_queries_decode_alike(auction: Schema) -> None:
    row = struct.pack("<II", 3, 1) + b"\x03\0\0\0lot" + struct.pack("<Q", 100) + b"\x01"
    for table in ("listing", "front_page", "one_category", "bargains", "my_watch_list"):
        assert auction.decode_row(table, row) == (3, 1, "lot", 100, ("none", ()))
    with pytest.raises(MeasurementError, match="truncated"):
        auction.decode_row("listing", row[:-3])


PLAIN = st.sampled_from([("U8", 8), ("U64", 64), ("U256", 256)])


@given(st.lists(st.tuples(PLAIN, st.integers(0, 255)), max_size=5), st.text(max_size=9))
def test_what_is_encoded_by_a_type_decodes_to_the_same_values(fields: list, text: str) -> None:
    kinds = [{name: []} for (name, _), _ in fields] + [{"Array": {"String": []}}]
    values = [number for _, number in fields] + [[text, text]]
    reader = Reader(encode_reducer_args(values, kinds))
    decoded = [decode_value(reader, kind, ()) for kind in kinds]
    assert decoded == [*values[:-1], (text, text)]
    assert reader.at_end


def test_rows_are_cut_by_their_size_or_by_their_starts() -> None:
    assert Rows("t", 3, b"aabbcc").split() == [b"aa", b"bb", b"cc"]
    assert Rows("t", 2, b"abbb", struct.pack("<2Q", 0, 1)).split() == [b"a", b"bbb"]
    assert Rows("t", 0, b"").split() == []
