"""A report in each of its formats, from what was built once."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from analyzer.experiments.lab import Records
from analyzer.frames import cells_frame
from analyzer.model.analysis import Analysis
from analyzer.report.experiments import experiment_content
from analyzer.report.layout import Content
from analyzer.report.markdown import render_markdown
from analyzer.report.pictures import Drawn, drawn, experiment_pictures, run_pictures
from analyzer.report.terminal import render_terminal
from analyzer.store import Run


@dataclass(frozen=True, slots=True)
class Report:
    """What the formats of one report are made of; the costly parts only when asked for."""

    content: Content
    document: Callable[[], Any]
    """Strict JSON data."""
    table: Callable[[], str]
    """CSV: the cells of a run, the records of an experiment."""
    pictures: Callable[[], list[Drawn]]
    page: Callable[[list[Drawn]], str]
    """HTML, with these pictures inside."""

    def text(self, kind: str) -> str:
        """The whole report as `terminal`, `html`, `md`, `csv` or `json`."""
        if kind == "html":
            return self.page(self.pictures())
        if kind == "md":
            return render_markdown(self.content)
        if kind == "csv":
            return self.table()
        if kind == "json":
            return json.dumps(self.document(), indent=1, allow_nan=False) + "\n"
        file = io.StringIO()
        render_terminal(self.content, Console(file=file, width=100, highlight=False))
        return file.getvalue()


def run_report(run: Run, analysis: Analysis, content: Content) -> Report:
    """The report of a run, from what `analyse_run` gives."""
    return Report(
        content,
        lambda: analysis.to_dict() | run.account(),
        lambda: cells_frame(run.frame()).to_csv(index=False),
        lambda: drawn(run_pictures(analysis, run.frame())),
        lambda pictures: _run_page(run, analysis, content, pictures),
    )


def experiment_report(found: Records) -> Report:
    """The report of an experiment. Raises RunError for records that are none of it."""
    content = experiment_content(found)
    return Report(
        content,
        lambda: list(found.records),
        lambda: _records_csv(found),
        lambda: drawn(experiment_pictures(found)),
        lambda pictures: _page(content, pictures),
    )


def _run_page(run: Run, analysis: Analysis, content: Content, pictures: list[Drawn]) -> str:
    from analyzer.report.answer import answer_section
    from analyzer.report.html import render_html
    from analyzer.report.windows import window_table

    answer = answer_section(run, analysis)
    return render_html(content, pictures, answer=answer, windows=window_table(run))


def _page(content: Content, pictures: list[Drawn]) -> str:
    from analyzer.report.html import render_html

    return render_html(content, pictures)


def _records_csv(found: Records) -> str:
    """One line a record; what is no plain value in it stays JSON."""
    import pandas as pd

    rows = [
        {
            name: json.dumps(value) if isinstance(value, (dict, list)) else value
            for name, value in record.items()
        }
        for record in found.records
    ]
    return str(pd.DataFrame(rows, dtype=object).to_csv(index=False))
