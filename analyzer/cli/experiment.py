"""How every experiment ends: its report on stdout and in its run directory."""

from __future__ import annotations

from analyzer.cli.output import print_document
from analyzer.errors import VoidCells
from analyzer.experiments.lab import Records
from analyzer.folder import replace_text
from analyzer.report.experiments import experiment_content
from analyzer.report.markdown import render_markdown


def finish(found: Records, *, as_json: bool) -> None:
    """Print the report of an experiment and leave it as report.md.

    Raises VoidCells, exit 3, when a record is void.
    """
    content = experiment_content(found)
    replace_text(found.path / "report.md", render_markdown(content))
    print_document(lambda: list(found.records), lambda: content, as_json=as_json)
    refuse_void_records(found)


def refuse_void_records(found: Records) -> None:
    """Raises VoidCells when a count was not what it had to be, or a transaction rolled back."""
    void = sum(bool(record.get("reasons")) for record in found.records)
    if void:
        raise VoidCells(f"void records: {void} of {len(found.records)}; the report says why")
