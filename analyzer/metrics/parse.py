"""From the text of a metrics page to a Snapshot."""

from __future__ import annotations

import math
import re

from prometheus_client.parser import text_string_to_metric_families

from analyzer.errors import MeasurementError
from analyzer.metrics.families import REQUIRED, SERIES
from analyzer.metrics.snapshot import Labels, Snapshot

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


def parse(text: str, *, url: str) -> Snapshot:
    """Read the wanted series; the rest of the page, often hundreds of kB, is not even parsed.

    Raises MeasurementError naming `url` for a page that is no metrics page, or is cut short:
    it is never taken for a page of zeros.
    """
    if not text.strip() or text.lstrip().startswith("<"):
        raise MeasurementError(f"{url}: no metrics page but {text.strip()[:40] or 'nothing'!r}")
    if not text.endswith("\n"):
        raise MeasurementError(f"{url}: the page breaks off in {text[-60:]!r}")
    # Without its TYPE lines every series is of unknown type, so that none is renamed or merged.
    wanted = "".join(line + "\n" for line in text.split("\n") if _name(line) in SERIES)
    values: dict[str, dict[Labels, float]] = {}
    try:
        for family in text_string_to_metric_families(wanted):
            for sample in family.samples:
                if not math.isnan(sample.value):
                    labels = frozenset(sample.labels.items())
                    values.setdefault(sample.name, {})[labels] = sample.value
    except (ValueError, IndexError, KeyError) as error:
        raise MeasurementError(f"{url}: not a metrics page: {error}") from None
    return Snapshot(values)


def missing_families(snapshot: Snapshot) -> list[str]:
    """Required families without a series. Ask after a first write: before it all are absent."""
    return [
        name
        for name in REQUIRED
        if name not in snapshot.values and f"{name}_sum" not in snapshot.values
    ]


def _name(line: str) -> str | None:
    match = _NAME.match(line)
    return match[0] if match else None
