"""The page of a real server, and pages that are none (pitfalls 9, 19, 20)."""

from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from analyzer.errors import MeasurementError
from analyzer.metrics import families as f
from analyzer.metrics.parse import missing_families, parse
from analyzer.metrics.snapshot import Snapshot
from analyzer.metrics.window import Window
from tests.metrics.pages import URL

PAGE = (Path(__file__).parents[1] / "fixtures" / "metrics.txt").read_text()
DB = "c200838eb33f276f2159dc3c778d89eb2d1bf22cb0bf007eb7c189102d2b1ec5"
REQUIRED = {f.TXN_CPU, f.TXNS, f.SEEKS, f.ROWS_SCANNED}


def one(line: str) -> float | None:
    name = line.partition("{")[0].split()[0]
    return parse(line + "\n", url=URL).value(name)


def test_counters_are_found_under_their_documented_names() -> None:
    """One is documented with `_total`, the other without; the parser renames both ways."""
    page = parse(
        f"# TYPE {f.SEEKS} counter\n{f.SEEKS} 7\n# TYPE {f.VIEW_RUNS} counter\n{f.VIEW_RUNS} 3\n",
        url=URL,
    )
    assert page.value(f.SEEKS) == 7
    assert page.value(f.VIEW_RUNS) == 3
    assert page.value(f.FUEL) is None


def test_the_page_of_a_real_server_is_read() -> None:
    page = parse(PAGE, url=URL)
    assert page.value(f.SEEKS, db=DB, txn_type="Reducer") == 264
    assert page.value(f.ROWS_SCANNED, db=DB, txn_type="Update") == 48
    assert page.value(f.FUEL, db=DB, reducer="settle_street") == 19104
    assert page.value(f.TXNS, db=DB, txn_type="Subscribe", committed="true") == 12
    assert missing_families(page) == []


def test_every_family_is_on_the_page_of_a_real_server_with_its_labels() -> None:
    page = parse(PAGE, url=URL)
    for family in f.FAMILIES:
        for name in family.series:
            assert page.series(name), name
            assert all(family.labels <= dict(labels).keys() for labels in page.series(name)), name


def test_a_window_over_the_page_of_a_real_server_gives_every_figure() -> None:
    seen = Window(Snapshot({}), parse(PAGE, url=URL), DB, "settle_street")
    assert (seen.committed, seen.rolled_back, seen.update_count) == (8, 0, 8)
    assert seen.write_ms == pytest.approx((0.0024078080 + 0.000382479) / 8 * 1e3)
    assert seen.wait_s is not None
    assert 0 <= seen.wait_s < 1e-3
    assert (seen.view_calls, seen.view_runs) == (8, 9)
    assert seen.fuel == 19104 + 249072, "its own and the view's, not that of seed_rooms"
    assert seen.module_s == pytest.approx((395 + 1531) / 1e6)
    assert seen.disconnections == {"client_close": 4}
    assert seen.foreign["Sql", ""] == 5
    assert seen.foreign["Reducer", "call_identity_connected"] == 14
    assert ("Update", "settle_street") not in seen.foreign


def test_two_databases_on_one_server_are_told_apart() -> None:
    page = parse(PAGE, url=URL)
    databases = {dict(labels)["db"] for labels in page.series(f.SEEKS)}
    assert len(databases) == 2
    assert page.value(f.SEEKS) == sum(page.value(f.SEEKS, db=db) or 0 for db in databases)


def test_the_lines_of_one_database_are_enough_for_its_figures() -> None:
    whole, own = parse(PAGE, url=URL), parse(PAGE, url=URL, database=DB)
    assert {dict(labels)["db"] for labels in own.series(f.SEEKS)} == {DB}
    for name in f.SERIES - {f.DISCONNECTIONS}:
        assert own.series(name) == whole.series(name, db=DB)
    assert own.series(f.DISCONNECTIONS) == whole.series(f.DISCONNECTIONS, database_identity=DB)


def test_two_encodings_in_one_page_with_the_same_headers_are_one_page() -> None:
    header = f"# HELP {f.SEEKS} seeks\n# TYPE {f.SEEKS} counter\n"
    line = f'{f.SEEKS}{{db="a",txn_type="Reducer"}} 7\n'
    page = parse(header + line + header + line.replace('"a"', '"b"'), url=URL)
    assert page.value(f.SEEKS) == 14
    assert parse(header + line + header + line, url=URL).value(f.SEEKS) == 7
    with pytest.raises(MeasurementError, match="two values for the same labels"):
        parse(header + line + header + line.replace("7", "8"), url=URL)


def test_a_histogram_is_its_sum_and_count() -> None:
    registry = CollectorRegistry()
    labels = {"txn_type": "Reducer", "db": "x", "reducer": "write"}
    cpu = Histogram(f.TXN_CPU, "s", [*labels], registry=registry).labels(**labels)
    cpu.observe(0.25)
    cpu.observe(1.5e-05)
    page = parse(generate_latest(registry).decode(), url=URL)
    assert page.value(f"{f.TXN_CPU}_sum", **labels) == 0.250015
    assert page.value(f"{f.TXN_CPU}_count", **labels) == 2
    assert set(page.values) == {f"{f.TXN_CPU}_sum", f"{f.TXN_CPU}_count"}


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
    assert page.series(f.SEEKS) == {frozenset({("db", label), ("txn_type", "Reducer")}): 5}


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0c", "\r", " # ", "\t"])
def test_a_label_may_hold_what_separates_lines_elsewhere(separator: str) -> None:
    line = f'{f.FUEL}{{db="x",reducer="a{separator}b"}} 3\n'
    assert parse(line, url=URL).value(f.FUEL, reducer=f"a{separator}b") == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.5e-05", 1.5e-05), ("+Inf", math.inf), ("7 1796089868052", 7.0), ("NaN", None)],
)
def test_values_are_read_and_nan_is_unknown_not_zero(text: str, value: float | None) -> None:
    assert one(f"{f.FUEL} {text}") == value


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    page = parse(f'{f.SEEKS}{{db="a"}} 7\n{f.SEEKS}{{db="b"}} NaN\n', url=URL)
    assert page.value(f.SEEKS, db="a") == 7
    assert page.value(f.SEEKS) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "<!DOCTYPE html>\n<html></html>\n",
        "404 page not found\n",
        "Not Found\n",
        '{"error": "no such route"}\n',
        f"# TYPE {f.SEEKS} counter\n",
        PAGE[:150_000].rstrip("\n"),
        f'{f.SEEKS}{{db="x"}} 7',
        f'up 1\n{f.SEEKS}{{db="x" 7\n',
        f'up 1\n{f.SEEKS}{{db="x",txn_type="Red\n',
        f"up 1\n{f.SEEKS} seven\n",
        f"up 1\n{f.SEEKS}\n",
    ],
)
def test_what_is_no_page_is_an_error_with_its_url_and_never_zeros(text: str) -> None:
    with pytest.raises(MeasurementError, match=URL) as caught:
        parse(text, url=URL)
    assert "\n" not in str(caught.value)


def test_a_fresh_server_lacks_the_families_that_the_first_write_brings() -> None:
    assert set(missing_families(parse("up 1\n", url=URL))) == REQUIRED


def test_a_family_without_a_label_that_must_match_is_missing() -> None:
    page = parse(PAGE.replace(',reducer="', ',function="'), url=URL)
    assert missing_families(page) == [f.TXN_CPU, f.TXNS]


def test_servers_without_view_families_lack_nothing_required() -> None:
    older = "".join(line for line in PAGE.splitlines(True) if not line.startswith("view_"))
    assert missing_families(parse(older, url=URL)) == []


def test_the_time_to_read_a_page_is_told() -> None:
    """Shown with `pytest -s`; no load on the machine can make it fail."""
    many = PAGE + "".join(
        line.replace(DB, f"c200{n:060x}") + "\n"
        for n in range(20)
        for line in PAGE.splitlines()
        if DB in line
    )
    took = {}
    for name, page, database in (("whole", PAGE, None), ("20 more", many, None), ("own", many, DB)):
        runs = []
        for _ in range(3):
            began = time.perf_counter()
            parse(page, url=URL, database=database)
            runs.append(time.perf_counter() - began)
        took[name] = f"{len(page) // 1000} kB {min(runs) * 1e3:.1f} ms"
    print(f"\nparse: {took}")
