"""What opening N tables and playing at them came to, beside the article's figures."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from statistics import median

from analyzer.experiments.lab import Record, Records
from analyzer.experiments.tables import ROWS, SEEKS
from analyzer.metrics.window import lock_share
from analyzer.published import published_dir
from analyzer.report.layout import Content, Lines, Section, Table
from analyzer.report.numbers import cost, number
from analyzer.units import every

_ARTICLE_CLOCK_S = 20.0
_ARTICLE_TABLES = 128

Value = Callable[[Record], float | None]
Column = tuple[str, Value, Callable[[float | None], str]]


def tables_content(found: Records) -> Content:
    """The opening and its laws, the loops, and both beside the article."""
    usable = [record for record in found.records if not record["reasons"]]
    openings = [record for record in usable if record["kind"] == "opening"]
    loops = [record for record in usable if record["kind"] == "loops"]
    return Content(
        "stdb-sweep: tables",
        (
            _opening_section(openings),
            _loops_section(loops, found.settings),
            _article_section(openings, loops, found.settings),
            Section("The run", (Lines((*_void(found), f"run directory: {found.path}")),)),
        ),
    )


def law_text(openings: Iterable[Record], key: str) -> str:
    """`38*N, exact in all 12 openings (residual 0)`, or between what it lies when it is no law."""
    counts = [(record["tables"], record[key]) for record in openings]
    if any(count is None for _, count in counts) or not counts:
        return "not counted" if counts else "no usable opening"
    each = sorted({Fraction(count, tables) for tables, count in counts})
    if len(each) > 1 or each[0].denominator > 1:
        return f"no exact law: {number(float(each[0]))} to {number(float(each[-1]))} a table"
    text = f"{int(each[0]):,}*N, exact in {every(len(counts), 'opening')} (residual 0)"
    if len({tables for tables, _ in counts}) == 1:
        text += f"; only N = {counts[0][0]} was measured, add a value to --tables"
    return text


def _opening_section(openings: list[Record]) -> Section:
    columns: tuple[Column, ...] = (
        ("rows", lambda r: r["rows"], _text),
        ("index seeks", lambda r: r["index_seeks"], _text),
        ("bytes written", lambda r: r["bytes"], _text),
        ("ms", lambda r: r["reducer_ms"], cost),
        ("ms a table", _opening_ms_each, cost),
    )
    laws = (
        f"rows inserted: {law_text(openings, 'rows')}; {ROWS}*N expected",
        f"index seeks: {law_text(openings, 'index_seeks')}; {SEEKS}*N expected",
        f"bytes written: {law_text(openings, 'bytes')}",
    )
    return Section("N tables opened in one transaction", (_table(openings, columns), Lines(laws)))


def _loops_section(loops: list[Record], settings: Record) -> Section:
    columns: tuple[Column, ...] = (
        ("hands/min", _hands, number),
        ("a table", _hands_each, number),
        ("ms a step", _step_ms, cost),
        ("lock %", _lock_percent, number),
        ("cores", _cores, number),
        ("cores a table", _cores_each, number),
    )
    texts = (
        "step: one call of the scheduled reducer for one table, with its subscription update",
        "cores: CPU seconds of the whole server process per second",
    )
    clock_s, watch_s = settings["clock_s"], settings["watch_s"]
    title = f"Hand loops on a clock of {clock_s:g} s, watched for {watch_s:g} s"
    return Section(title, (_table(loops, columns), Lines(texts)))


def _article_section(openings: list[Record], loops: list[Record], settings: Record) -> Section:
    paced = loops if settings["clock_s"] == _ARTICLE_CLOCK_S else []
    opened_128, paced_128 = (
        [record for record in records if record["tables"] == _ARTICLE_TABLES]
        for records in (openings, paced)
    )
    lines: tuple[tuple[str, str, list[Record], Value, tuple[str, ...]], ...] = (
        ("rows inserted a table", "rows", openings, lambda r: _each(r, r["rows"]),
         ("start_rows_inserted_per_table",)),
        ("index seeks a table", "seeks", openings, lambda r: _each(r, r["index_seeks"]),
         ("start_index_seeks_per_table",)),
        ("written a table", "KB", openings, lambda r: _each(r, _kilobytes(r)),
         ("start_bytes_written_per_table",)),
        ("opening a table", "ms", openings, _opening_ms_each, ("start_cpu_per_table",)),
        ("opening 128 tables", "ms", opened_128, lambda r: r["reducer_ms"],
         ("start_128_tables_low", "start_128_tables_high")),
        ("hands a table", "a minute", paced, _hands_each,
         ("hands_per_minute_per_table_low", "hands_per_minute_per_table_high")),
        ("hands at 128 tables", "a minute", paced_128, _hands, ("hands_per_minute_128_tables",)),
        ("server a table", "cores", paced, _cores_each, ("cores_per_table",)),
        ("server at 128 tables", "cores", paced_128, _cores, ("cores_128_tables",)),
    )  # fmt: skip
    article = _published()
    rows = tuple(
        (what, unit, _span([article[name] for name in names]), _span(_medians(records, value)))
        for what, unit, records, value, names in lines
    )
    text = "here: least to most over all N; hands and cores are compared at a clock of 20 s only"
    table = Table("", ("quantity", "unit", "article", "here"), rows, labels=2)
    return Section("Beside the article", (table, Lines((text,))))


def _published() -> dict[str, float]:
    with (published_dir() / "tables_linear.csv").open(encoding="utf-8", newline="") as file:
        return {row["quantity"]: float(row["value"]) for row in csv.DictReader(file)}


def _void(found: Records) -> list[str]:
    return [
        f"void: {record['kind']} of {record['tables']} tables, repeat {record['repeat']}: {reason}"
        for record in found.records
        for reason in record["reasons"]
    ]


def _table(records: list[Record], columns: Sequence[Column]) -> Table:
    cells = [[text(value) for value in _medians(records, of)] for _, of, text in columns]
    rows = zip((f"{tables:,}" for tables in _counts(records)), *cells, strict=True)
    names = ("tables", *(name for name, _, _ in columns))
    return Table("medians over repeats", names, tuple(rows), labels=0)


def _medians(records: list[Record], value: Value) -> list[float | None]:
    """One for each number of tables; None where it is unknown in some repeat."""
    found: list[float | None] = []
    for tables in _counts(records):
        values = [value(record) for record in records if record["tables"] == tables]
        known = [one for one in values if one is not None]
        found.append(median(known) if len(known) == len(values) else None)
    return found


def _counts(records: list[Record]) -> list[int]:
    return sorted({record["tables"] for record in records})


def _span(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    return " to ".join(dict.fromkeys(map(_text, (min(known), max(known)))))


def _text(value: float | None) -> str:
    """Counts in full, everything else in three digits."""
    whole = value is not None and float(value).is_integer()
    return f"{value:,.0f}" if whole else number(value)


def _each(record: Record, value: float | None) -> float | None:
    return None if value is None else value / record["tables"]


def _kilobytes(record: Record) -> float | None:
    return None if record["bytes"] is None else record["bytes"] / 1e3


def _opening_ms_each(record: Record) -> float | None:
    return _each(record, record["reducer_ms"])


def _hands(record: Record) -> float | None:
    return None if record["hands"] is None else record["hands"] / record["seconds"] * 60


def _hands_each(record: Record) -> float | None:
    return _each(record, _hands(record))


def _step_ms(record: Record) -> float | None:
    reducer_ms, update_ms = record["reducer_ms"], record["update_ms"]
    if reducer_ms is None or update_ms is None or not record["steps"]:
        return None
    return float((reducer_ms + update_ms) / record["steps"])


def _lock_percent(record: Record) -> float | None:
    step_ms = _step_ms(record)
    if step_ms is None:
        return None
    return 100 * lock_share(step_ms, record["steps"] / record["seconds"])


def _cores(record: Record) -> float | None:
    return None if record["cpu_s"] is None else record["cpu_s"] / record["seconds"]


def _cores_each(record: Record) -> float | None:
    return _each(record, _cores(record))
