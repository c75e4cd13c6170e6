"""From the text of a metrics page to a Snapshot."""

from __future__ import annotations

import re

from prometheus_client.parser import text_string_to_metric_families

from analyzer.errors import MeasurementError
from analyzer.metrics.families import FAMILIES, SERIES, Family
from analyzer.metrics.snapshot import Labels, Snapshot

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_SAMPLE = re.compile(rf"^{_NAME.pattern}(\{{.*\}})?[ \t]+([-+.\d]|NaN)", re.MULTILINE)


def parse(text: str, *, url: str, database: str | None = None) -> Snapshot:
    """Read the wanted series; the rest of the page, often hundreds of kB, is not even parsed.

    `database` (64 hex digits) leaves out the lines of all others: a server keeps the series of
    deleted databases, so that a page grows with the sweep.

    Raises MeasurementError naming `url` for a page that is no metrics page, or is cut short:
    it is never taken for a page of zeros.
    """
    if text.lstrip().startswith("<") or not _SAMPLE.search(text):
        raise MeasurementError(f"{url}: no metrics page but {text.strip()[:40] or 'nothing'!r}")
    if not text.endswith("\n"):
        raise MeasurementError(f"{url}: the page breaks off in {text[-60:]!r}")
    # Without its TYPE lines every series is of unknown type, so that none is renamed or merged.
    # Labels may hold any other line separator, so this is no place for splitlines().
    wanted = "".join(
        f"{line}\n"
        for line in text.split("\n")
        if (database is None or database in line) and _name(line) in SERIES
    )
    values: dict[str, dict[Labels, float]] = {}
    try:
        for family in text_string_to_metric_families(wanted):
            for sample in family.samples:
                series = values.setdefault(sample.name, {})
                labels = frozenset(sample.labels.items())
                first = series.setdefault(labels, sample.value)
                if first is not sample.value and first != sample.value:
                    raise ValueError(f"{sample.name} has two values for the same labels")
    except (ValueError, IndexError, KeyError) as error:
        raise MeasurementError(f"{url}: not a metrics page: {error}") from None
    return Snapshot(values)


def missing_families(snapshot: Snapshot) -> list[str]:
    """Required families without a series that carries their documented labels.

    Ask after a first write and its 5 ms tick: a family appears with its first observation, so
    that a fresh server lacks all of them.
    """
    return [f.name for f in FAMILIES if f.required and not carries(snapshot, f)]


def carries(snapshot: Snapshot, family: Family) -> bool:
    """Whether every line of the family is there with the labels it is documented to have."""
    return all(
        any(family.labels <= dict(labels).keys() for labels in snapshot.series(name))
        for name in family.series
    )


def _name(line: str) -> str | None:
    match = _NAME.match(line)
    return match[0] if match else None
