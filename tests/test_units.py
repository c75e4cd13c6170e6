"""Durations and lists as people type them (pitfall 23)."""

from __future__ import annotations

import pytest

from analyzer.errors import UsageError
from analyzer.units import (
    counted,
    every,
    milliseconds,
    per_second,
    text_ms,
    text_seconds,
    whole_numbers,
)


@pytest.mark.parametrize(
    ("text", "ms"), [("50ms", 50.0), ("1.5 s", 1500.0), ("300us", 0.3), ("2min", 120_000.0)]
)
def test_a_duration_is_read_with_its_unit(text: str, ms: float) -> None:
    assert milliseconds(text) == pytest.approx(ms)


def test_a_duration_too_large_for_a_number_is_refused_in_one_short_line() -> None:
    with pytest.raises(UsageError, match="too large") as caught:
        milliseconds("9" * 400 + "ms")
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("text", ["", "50", "ms", "-1ms", "1e3ms", "0ms", "5 hours", "nan ms"])
def test_what_is_no_duration_is_refused_by_name(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        milliseconds(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1,10,100", (1, 10, 100)), (" 1, 10 ,100 ", (1, 10, 100)), ("8,4,8", (4, 8))],
)
def test_a_list_is_read_ascending_and_each_number_once(text: str, numbers: tuple[int]) -> None:
    assert whole_numbers(text, what="clients") == numbers


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("1,10,,100,", "an item"),
        ("0", "'0'"),
        ("1e3", "'1e3'"),
        ("", "empty"),
        ("ten", "'ten'"),
        ("1,-5", "'-5'"),
        ("1;2", "'1;2'"),
        ("١٠", "'١٠'"),
        ("99999999", "'99999999'"),
        pytest.param("9" * 5001, "above 9999999", id="5001 digits"),
        pytest.param("x" * 5001, "is not a whole number", id="5001 letters"),
    ],
)
def test_a_bad_list_names_the_flag_and_the_bad_item(text: str, item: str) -> None:
    with pytest.raises(UsageError) as caught:
        whole_numbers(text, what="clients")
    assert "--clients" in str(caught.value)
    assert item in str(caught.value)
    assert caught.value.exit_code == 2
    assert len(str(caught.value)) < 100


def test_times_are_told_in_sensible_digits() -> None:
    told = [text_ms(value) for value in (0.03123, 0.31, 3.14159, 31.4, 1349.2)]
    assert told == ["0.0312 ms", "0.310 ms", "3.14 ms", "31.4 ms", "1,349 ms"]
    assert [text_seconds(value) for value in (42, 185, 4200)] == [
        "42 s",
        "3 min 05 s",
        "1 h 10 min",
    ]


def test_rates_are_told_in_sensible_digits() -> None:
    assert [per_second(value) for value in (0.1, 19.83, 601.4, 1e5)] == [
        "0.1/s",
        "19.8/s",
        "601/s",
        "100,000/s",
    ]


def test_one_of_a_thing_is_no_plural() -> None:
    assert (counted(1, "cell"), counted(0, "cell")) == ("1 cell", "0 cells")
    assert counted(1200, "finished step") == "1,200 finished steps"
    assert (every(1, "cell"), every(16, "cell")) == ("the one cell", "all 16 cells")
