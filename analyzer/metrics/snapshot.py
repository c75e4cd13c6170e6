"""One scrape: the values of the wanted series at one moment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

Labels = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Series by documented name and labels. NaN is a series whose value the server does not know.

    NaN is kept, so that a series that is unknown is not taken for one that has not begun.
    """

    values: Mapping[str, Mapping[Labels, float]]

    def series(self, name: str, **labels: str) -> dict[Labels, float]:
        """The series of `name` that carry all of `labels`; others of their labels do not matter."""
        wanted = frozenset(labels.items())
        found = self.values.get(name, {})
        return {have: value for have, value in found.items() if wanted <= have}

    def value(self, name: str, **labels: str) -> float | None:
        """The sum over `series`; None when there is none or one is unknown, which is not zero."""
        found = self.series(name, **labels)
        total = sum(found.values())
        return total if found and not math.isnan(total) else None
