"""A few values that stand for many, where there is no room for all."""

from __future__ import annotations

from collections.abc import Sequence


def pick(values: Sequence[int], most: int) -> list[int]:
    """At most so many of them, evenly, the first and last among them."""
    found = sorted(set(values))
    if len(found) <= most:
        return found
    return [found[round(at * (len(found) - 1) / (most - 1))] for at in range(most)]
