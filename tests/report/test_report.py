"""The same content on a terminal and in Markdown."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

from analyzer.model.analysis import analyse
from analyzer.report.content import build_content
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.markdown import render_markdown
from analyzer.report.numbers import cost, ms, number, percent, span
from analyzer.report.terminal import render_terminal
from tests.model.frames import frame, reference

CONTROL = {"arm": "per_sender", "clients": 10, "rows": 8, "first_ms": 0.8, "last_ms": 0.84}


def measured() -> pd.DataFrame:
    found = pd.concat([reference("embedded-2.14.0-lobby").assign(repeat=r) for r in range(3)])
    found = found.reset_index(drop=True)
    found.loc[5, ["verdict", "reason"]] = [
        "void",
        "at least 601/s of 1,000 writes/s achieved, 20 % late [bold]",
    ]
    return found


@pytest.fixture(scope="module")
def content() -> Content:
    found = measured()
    manifest = {"engine": {"kind": "embedded", "version": "2.14.0"}}
    return build_content(analyse(found), found, manifest, Path("runs/lobby"), CONTROL)


def drawn(content: Content, **options: Any) -> str:
    console = Console(**{"width": 80, "file": io.StringIO(), **options})
    render_terminal(content, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.fixture(scope="module")
def text(content: Content) -> str:
    return drawn(content)


def test_eighty_columns_hold_every_cost_on_one_line(text: str) -> None:
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    assert "0        0.027 (0.024 + 0.003)  0.022 (0.020 + 0.002)  0.029 (0.025" in text
    assert "100        11.1 (10.2 + 0.873)" in text


def test_the_law_stands_with_its_residual_and_the_published_one(text: str) -> None:
    flat = " ".join(text.split())
    assert (
        "index seeks per write: S*(4*G+1)+1; exact in all 16 cells (residual 0); published law: "
        "agrees"
    ) in flat
    assert "4*G+1 (S > 0), 1 (S = 0); exact in all 16 cells (residual 0); declared law" in flat
    assert "view calls per write: not counted by this server" in flat


def test_a_law_that_parts_from_the_declared_one_names_the_cell() -> None:
    found = frame(seeks=lambda s, g: s * (5 * g + 1) + 1)
    flat = " ".join(drawn(build_content(analyse(found), found, {}, None)).split())
    assert (
        "S*(5*G+1)+1; exact in all 16 cells (residual 0); differs from the published law, which "
        "gives 331 at S=10 G=8"
    ) in flat


def test_a_count_without_a_law_has_the_nearest_one_named_as_such() -> None:
    found = frame()
    found.loc[0, "index_seeks"] = 999
    flat = " ".join(drawn(build_content(analyse(found), found, {}, None)).split())
    assert (
        "index seeks per write: no exact law: the nearest misses by 998 at S=0 G=8; nearest: "
        "S*(4*G+1)+1; published law: agrees"
    ) in flat
    assert "nearest misses by 0" not in flat


def test_ceilings_stand_beside_the_published_ones(text: str) -> None:
    rows = [line.split() for line in text.splitlines() if line.startswith("  per_sender  ")]
    assert rows[0][:5] == ["per_sender", "8", "273", "179", "to"]
    assert [row[-1] for row in rows[:4]] == ["80", "33", "11", "3"]


def test_the_answer_comes_first_and_where_it_comes_from_last(content: Content) -> None:
    titles = [section.title for section in content.sections]
    assert titles[0] == "Ceilings at 50 ms of lock per write"
    assert titles[-1] == "Run"


def test_a_note_of_some_row_counts_says_of_which() -> None:
    flat = " ".join(drawn(build_content(analyse(frame()), frame(), {}, None)).split())
    assert "3x the measured S = 100: measure more clients (at 8 rooms)" in flat


def test_a_form_that_misfits_says_so_beside_its_ceilings() -> None:
    found = frame(lambda s, g: (0.02 + 0.3 * s * g**0.1) * (1.6 if s == 50 else 1.0))
    first = build_content(analyse(found), found, {}, None).sections[0]
    flat = " ".join(drawn(Content("", (first,))).split())
    assert "form misfits: it misses these costs by" in flat


def test_a_cost_at_its_bound_has_no_interval() -> None:
    shown = drawn(build_content(analyse(frame()), frame(), {}, None))
    assert ["d", "0", "-", "ns", "per", "key", "compared"] in map(str.split, shown.splitlines())


def test_another_budget_has_no_published_ceilings_beside_it() -> None:
    found = frame()
    assert "article" not in drawn(build_content(analyse(found, budget=20), found, {}, None))


def test_the_factor_between_designs_is_a_sentence(text: str) -> None:
    assert "anonymous is 103 times cheaper at S=100, G=1000 (article: 128)" in text


def test_drift_void_cells_and_the_run_directory_are_named(text: str) -> None:
    flat = " ".join(text.split())
    assert (
        "per_sender S=10 G=8 measured 0.800 ms at the start and 0.840 ms at the end (5.0 %" in flat
    )
    assert "Void: 1 of 96 repeats have no part in what is above" in flat
    assert "1 repeat: at least 601/s of 1,000 writes/s achieved, 20 % late [bold]" in flat
    assert "1 void repeat left out: see below" in flat
    assert "the machine changed" not in flat
    assert "run directory: runs/lobby" in flat
    assert "engine: embedded 2.14.0" in flat


def test_a_run_without_a_usable_cell_is_still_reported() -> None:
    found = frame().assign(verdict="void", reason="20 clients share one identity")
    flat = " ".join(drawn(build_content(analyse(found), found, {}, None)).split())
    assert "no cost model: no cell is left to fit" in flat
    assert "Void: 48 of 48" in flat
    assert "20 clients share one identity" in flat


def test_a_first_cell_that_cost_much_more_in_the_end_is_a_warning() -> None:
    drifted = CONTROL | {"last_ms": 1.6}
    flat = " ".join(drawn(build_content(analyse(frame()), frame(), {}, None, drifted)).split())
    assert "0.800 ms at the start and 1.60 ms at the end (100 % change)" in flat
    assert "the machine changed that much meanwhile" in flat


def test_a_wide_screen_has_every_row_count_in_one_table(content: Content) -> None:
    heads = [line for line in drawn(content, width=120).splitlines() if "8 rooms" in line]
    assert heads
    assert all("1,000 rooms" in line for line in heads if line.startswith("  clients"))
    narrow = [line for line in drawn(content).splitlines() if line.startswith("  clients  ")]
    assert not any("8 rooms" in line and "1,000 rooms" in line for line in narrow)


def test_no_line_ends_in_blanks(text: str) -> None:
    assert [line for line in text.splitlines() if line != line.rstrip()] == []
    assert "\n\n\n" not in text


def test_no_color_is_honoured(content: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    coloured = {"force_terminal": True, "color_system": "standard"}
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert "[36m" not in drawn(content, **coloured)
    assert "[1;36m" not in drawn(content, **coloured)
    monkeypatch.delenv("NO_COLOR")
    assert "[1;36m" in drawn(content, **coloured)


def test_markdown_holds_the_same_and_keeps_formulas_whole(content: Content) -> None:
    text = render_markdown(content)
    assert r"S\*(4\*G+1)+1" in text
    assert "| 0 | 0.027 (0.024 + 0.003) | 0.022 (0.020 + 0.002) |" in text
    assert r"20 % late \[bold\]" in text
    assert text.startswith("# stdb-sweep: lobby\n")


def test_markdown_tables_survive_any_label() -> None:
    table = Table("", ("a|b", "n"), (("x\ny", "1"),))
    text = render_markdown(Content("t", (Section("s", (table, Lines(("`z`",)))),)))
    assert "| a\\|b | n |\n| :-- | --: |\n| x y | 1 |" in text
    assert "- \\`z\\`" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0312, "0.0312"), (12.41, "12.4"), (1349.2, "1,349"), (0, "0"), (None, "-"), (-1.2, "-1.20"),
     (0.00042, "0.000420"), (float("nan"), "-")],
)  # fmt: skip
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    assert number(value) == text


def test_costs_stop_at_microseconds_and_unknown_is_not_zero() -> None:
    assert ms(0.0312) == "0.031 ms"
    assert ms(12.4) == "12.4 ms"
    assert ms(1349) == "1,349 ms"
    assert ms(None) == "unknown"
    assert cost(float("nan")) == "-"


def test_spans_and_shares_read_as_words() -> None:
    assert span(22, 1300) == "22 to 1,300"
    assert span(22, None) == "22 or more"
    assert span(None, None) == "-"
    assert (percent(0.052), percent(0.22)) == ("5.2 %", "22 %")
