"""Any table of write costs as the frame that the model reads: `clients,rows,write_ms` and more.

Text stays text: an arm called `None` or `NA` is a name. Only an empty cell is unknown.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.errors import RunError
from analyzer.units import counted

if TYPE_CHECKING:
    import pandas as pd

_NEEDED = ("clients", "rows", "write_ms")
_OPTIONAL = ("scenario", "arm", "repeat", "verdict", "reason")
_COUNTS = ("index_seeks", "view_calls", "rows_scanned")


def read_table(path: Path) -> pd.DataFrame:
    """Read a CSV file with a header line: clients, rows, write_ms, and optionally arm, repeat.

    `cells.csv` of a run directory is such a table. With the counts index_seeks and view_calls per
    write the model knows of a read-set merge. Other columns are passed over. An empty `write_ms`
    or count is unknown; a row whose `verdict` is not `ok` takes no part.

    Raises
    ------
    RunError
        With the line number, when the file is not such a table.
    """
    import pandas as pd

    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(_rows(path, csv.reader(file, strict=True)))
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RunError(f"{path} is not UTF-8 text") from None
    if not rows:
        raise RunError(f"{path} has no line below its header")
    return pd.DataFrame(rows)


def _rows(path: Path, lines: Any) -> Iterator[dict[str, object]]:
    seen: dict[tuple[object, ...], int] = {}
    try:
        header = [name.strip() for name in next(lines, [])]
        _check_header(path, header)
        for line in lines:
            if not any(line):
                continue
            where = f"{path}:{lines.line_num}"
            if len(line) != len(header):
                raise RunError(
                    f"{where}: {counted(len(line), 'cell')} under {counted(len(header), 'column')}"
                )
            row = _row(where, dict(zip(header, line, strict=True)))
            if "repeat" in row:
                key = tuple(
                    row.get(name) for name in ("scenario", "arm", "clients", "rows", "repeat")
                )
                if key in seen:
                    raise RunError(
                        f"{where}: the same repeat of the same cell as in line {seen[key]}: "
                        "two runs are not one table"
                    )
                seen[key] = lines.line_num
            yield row
    except csv.Error as error:
        raise RunError(f"{path}:{lines.line_num}: {error}") from None


def _check_header(path: Path, header: list[str]) -> None:
    for name in _NEEDED:
        if name not in header:
            raise RunError(f"{path}:1: the column {name} is missing; it has {', '.join(header)}")
    for name in (*_NEEDED, *_OPTIONAL, *_COUNTS):
        if header.count(name) > 1:
            raise RunError(f"{path}:1: the column {name} is there twice")


def _row(where: str, cells: dict[str, str]) -> dict[str, object]:
    row: dict[str, object] = {name: cells[name] for name in _OPTIONAL if name in cells}
    if "repeat" in cells:
        row["repeat"] = _whole(where, "repeat", cells["repeat"])
    row["clients"] = _whole(where, "clients", cells["clients"])
    row["rows"] = _whole(where, "rows", cells["rows"])
    row["write_ms"] = _cost(where, cells["write_ms"])
    row |= {name: _count(where, name, cells[name]) for name in _COUNTS if name in cells}
    return row


def _whole(where: str, name: str, text: str) -> int:
    if not (text.strip().isascii() and text.strip().isdigit()):
        raise RunError(f"{where}: {name} is {text!r}, not a whole number")
    return int(text)


def _count(where: str, name: str, text: str) -> float:
    value = _number(text)
    if value < 0:
        raise RunError(f"{where}: {name} is {text!r}, not a count (empty is unknown)")
    return value


def _cost(where: str, text: str) -> float:
    value = _number(text)
    if value <= 0:
        raise RunError(f"{where}: write_ms is {text!r}, not a time above 0 (empty is unknown)")
    return value


def _number(text: str) -> float:
    """A finite number, NaN where it is left empty, and -1 for what is none."""
    if not text.strip():
        return math.nan
    try:
        value = float(text)
    except ValueError:
        return -1.0
    return value if math.isfinite(value) else -1.0
