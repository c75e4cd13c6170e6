"""The page of a real server, and pages that are none (pitfalls 9, 19, 20)."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, generate_latest

from analyzer.errors import MeasurementError
from analyzer.metrics import families as f
from analyzer.metrics.parse import missing_families, parse

PAGE = (Path(__file__).parents[1] / "fixtures" / "metrics.txt").read_text()
DB = "c200838eb33f276f2159dc3c778d89eb2d1bf22cb0bf007eb7c189102d2b1ec5"
URL = "http://127.0.0.1:3000/v1/metrics"


def one(line: str) -> float | None:
    name = line.partition("{")[0].split()[0]
    return parse(line + "\n", url=URL).value(name)


def test_counters_are_found_under_their_documented_names() -> None:
    """One is documented with `_total`, the other without; the parser renames both ways."""
    page = parse(
        f"# TYPE {f.SEEKS} counter\n{f.SEEKS} 7\n# TYPE {f.VIEW_CALLS} counter\n{f.VIEW_CALLS} 3\n",
        url=URL,
    )
    assert page.value(f.SEEKS) == 7
    assert page.value(f.VIEW_CALLS) == 3
    assert page.value(f.FUEL) is None


def test_the_page_of_a_real_server_is_read() -> None:
    page = parse(PAGE, url=URL)
    assert page.value(f.SEEKS, db=DB, txn_type="Reducer") == 264
    assert page.value(f.ROWS_SCANNED, db=DB, txn_type="Update") == 48
    assert page.value(f.FUEL, db=DB, reducer="settle_street") == 19104
    assert page.value(f.TXNS, db=DB, txn_type="Subscribe", committed="true") == 12
    assert missing_families(page) == []


def test_two_databases_on_one_server_are_told_apart() -> None:
    page = parse(PAGE, url=URL)
    databases = {dict(labels)["db"] for labels in page.series(f.SEEKS)}
    assert len(databases) == 2
    assert page.value(f.SEEKS) == sum(page.value(f.SEEKS, db=db) or 0 for db in databases)


def test_any_text_in_a_label_comes_back_exactly() -> None:
    line = f'{f.FUEL}{{db="x",reducer="a,b}}\\"c\\\\ d with {{y}}"}} 3'
    [labels] = parse(line + "\n", url=URL).series(f.FUEL)
    assert dict(labels) == {"db": "x", "reducer": 'a,b}"c\\ d with {y}'}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_labels_survive_the_round_trip_through_a_real_registry(label: str) -> None:
    registry = CollectorRegistry()
    counter = Counter(f.SEEKS, "seeks", ["db", "txn_type"], registry=registry)
    counter.labels(db=label, txn_type="Reducer").inc(5)
    page = parse(generate_latest(registry).decode(), url=URL)
    assert page.value(f.SEEKS, db=label) == 5


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5e-05", 1.5e-05), ("+Inf", math.inf), ("7 1796089868052", 7.0), ("NaN", None)],
)
def test_values_are_read_and_nan_is_unknown_not_zero(text: str, value: float | None) -> None:
    assert one(f"{f.FUEL} {text}") == value


@pytest.mark.parametrize(
    "text",
    ["", "   \n", "<!DOCTYPE html>\n<html></html>\n", PAGE[:150_000].rstrip("\n"),
     f'{f.SEEKS}{{db="x" 7\n', f"{f.SEEKS} seven\n", f"{f.SEEKS}\n"],
)  # fmt: skip
def test_what_is_no_page_is_an_error_with_its_url_and_never_zeros(text: str) -> None:
    with pytest.raises(MeasurementError, match=URL) as caught:
        parse(text, url=URL)
    assert "\n" not in str(caught.value)


def test_families_that_are_missing_are_named() -> None:
    assert set(missing_families(parse("up 1\n", url=URL))) == set(f.REQUIRED)
