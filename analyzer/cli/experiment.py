"""How every experiment ends: its report on stdout and in its run directory."""

from __future__ import annotations

from analyzer.cli.output import print_document
from analyzer.errors import VoidCells
from analyzer.experiments.lab import Records
from analyzer.folder import replace_text
from analyzer.report.formats import experiment_report
from analyzer.report.pictures import write_pictures


def finish(found: Records, *, as_json: bool) -> None:
    """Print the report of an experiment and leave it as report.md and report.html, with its plots.

    Raises VoidCells, exit 3, when a record is void.
    """
    report = experiment_report(found)
    pictures = report.pictures()
    replace_text(found.path / "report.md", report.text("md"))
    replace_text(found.path / "report.html", report.page(pictures))
    write_pictures(pictures, found.path / "plots")
    print_document(report.document, lambda: report.content, as_json=as_json)
    refuse_void_records(found)


def refuse_void_records(found: Records) -> None:
    """Raises VoidCells when a count was not what it had to be, or a transaction rolled back."""
    void = sum(bool(record.get("reasons")) for record in found.records)
    if void:
        raise VoidCells(f"void records: {void} of {len(found.records)}; the report says why")
