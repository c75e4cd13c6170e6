"""Durations, lists and counts as people write them."""

from __future__ import annotations

import math
import re

from analyzer.errors import UsageError

_UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(us|ms|s|min)\s*")


def milliseconds(text: str) -> float:
    """`50ms`, `1.5s`, `300us`, `2min` in ms. Raises UsageError when it is none of these, or 0."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise UsageError(f"{_short(text)!r} is not a duration: write 50ms, 1.5s or 300us")
    value = float(match[1]) * _UNITS[match[2]]
    if value <= 0:
        raise UsageError(f"{text!r} is no time at all: write a duration above 0")
    if not math.isfinite(value):
        raise UsageError(f"{_short(text)!r} is too large a duration: write 50ms or 1.5s")
    return value


def whole_numbers(text: str, *, what: str, least: int = 1) -> tuple[int, ...]:
    """`1,10,100` as ascending whole numbers, each once. Raises UsageError naming the bad item."""
    items = [item.strip() for item in text.split(",")]
    if items == [""]:
        raise UsageError(f"--{what}: the list is empty: write numbers such as 10,50,100")
    for item in items:
        if not item:
            raise UsageError(f"--{what}: an item of {text!r} is empty: write 10,50,100")
        if not (item.isascii() and item.isdigit()):
            raise UsageError(f"--{what}: {_short(item)!r} is not a whole number")
        if len(item) > 7:
            raise UsageError(f"--{what}: {_short(item)!r} is above 9999999")
        if int(item) < least:
            raise UsageError(f"--{what}: {item!r} is below {least}")
    return tuple(sorted({int(item) for item in items}))


def _short(text: str) -> str:
    return text if len(text) <= 20 else f"{text[:20]}…"


def share(text: str, *, what: str) -> float:
    """`5%` or `5` as 0.05. Raises UsageError when it is no percentage, or none above 0."""
    try:
        value = float(str(text).strip().removesuffix("%")) / 100
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise UsageError(f"--{what}: {text!r} is not a percentage: write 5%")
    return value


def text_ms(value: float) -> str:
    """Three significant digits with the unit: `0.0312 ms`, `12.4 ms`, `1,349 ms`."""
    if value >= 100:
        return f"{value:,.0f} ms"
    digits = 4 if value < 0.1 else 3 if value < 1 else 2 if value < 10 else 1
    return f"{value:.{digits}f} ms"


def per_second(value: float) -> str:
    """Three significant digits at least: `0.5/s`, `601/s`, `1,000/s`."""
    return f"{value:,.0f}/s" if value >= 100 else f"{value:.3g}/s"


def text_seconds(seconds: float) -> str:
    """`42 s`, `3 min 05 s`, `1 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def counted(number: int, noun: str) -> str:
    """`1 cell`, `1,200 cells`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def every(number: int, noun: str) -> str:
    """`the one cell`, `all 16 cells`."""
    return f"the one {noun}" if number == 1 else f"all {counted(number, noun)}"
