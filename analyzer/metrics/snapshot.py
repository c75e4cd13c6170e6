"""One scrape: the values of the wanted series at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Labels = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Series by documented name and labels. A value that is not a number is absent: unknown."""

    values: Mapping[str, Mapping[Labels, float]]

    def series(self, name: str, **labels: str) -> dict[Labels, float]:
        """The series of `name` that carry all of `labels`; others of their labels do not matter."""
        wanted = frozenset(labels.items())
        found = self.values.get(name, {})
        return {have: value for have, value in found.items() if wanted <= have}

    def value(self, name: str, **labels: str) -> float | None:
        """The sum over `series`; None when there is none. Absent is not zero."""
        found = self.series(name, **labels)
        return sum(found.values()) if found else None
