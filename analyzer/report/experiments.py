"""The report of an experiment, by its name."""

from __future__ import annotations

from analyzer.errors import RunError
from analyzer.experiments.lab import Records
from analyzer.report.dashboard import dashboard_content
from analyzer.report.layout import Content
from analyzer.report.residue import residue_content
from analyzer.report.tables import tables_content
from analyzer.report.transport import transport_content

_CONTENTS = {
    "dashboard": dashboard_content,
    "residue": residue_content,
    "tables": tables_content,
    "transport": transport_content,
}


def experiment_content(found: Records) -> Content:
    """Raises RunError for records that are none of that experiment."""
    try:
        return _CONTENTS[found.experiment](found)
    except (KeyError, TypeError, IndexError) as error:
        raise RunError(f"{found.path}: its records lack {error}") from None
