"""Numbers as a reader can take them in: three digits, and never a digit that is not there."""

from __future__ import annotations

import math


def number(value: float | None) -> str:
    """Three significant digits: `0.0312`, `12.4`, `1,349`; `-` when unknown."""
    if value is None or math.isnan(value):
        return "-"
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def cost(value: float | None) -> str:
    """`number` of ms down to whole microseconds, the finest the engine's sums resolve."""
    if value is None or math.isnan(value) or abs(value) >= 0.1:
        return number(value)
    return f"{value:.3f}"


def ms(value: float | None) -> str:
    """`number` with its unit."""
    return "unknown" if value is None or math.isnan(value) else f"{cost(value)} ms"


def percent(share: float) -> str:
    """`3.2 %`, `19 %`."""
    return f"{100 * share:.{1 if abs(share) < 0.1 else 0}f} %"


def signed(share: float | None) -> str:
    """`+12 %`, `-3 %`; `-` when unknown."""
    return "-" if share is None else f"{100 * share:+.0f} %"


def span(low: float | None, high: float | None) -> str:
    """`0.2 to 0.3`, `20 or more`, `-` when there is no interval."""
    if low is None and high is None:
        return "-"
    if high is None:
        return f"{whole_or_digits(low)} or more"
    return f"{whole_or_digits(low)} to {whole_or_digits(high)}"


def whole_or_digits(value: float | None) -> str:
    """Counts in full, everything else in three digits."""
    return f"{value:,}" if isinstance(value, int) else number(value)
