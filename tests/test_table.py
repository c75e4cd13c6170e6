"""Tables from anywhere: text stays text, and every fault names its line."""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyzer import fit, read_table
from analyzer.errors import RunError


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "table.csv"
    path.write_text(text, encoding=encoding)
    return path


def test_a_design_called_none_or_na_is_a_name(tmp_path: Path) -> None:
    names = ["None", "NA", "null", "nan", "1", "true", ""]
    lines = [f"{name},10,8,1.5" for name in names]
    found = read_table(written(tmp_path, "\n".join(["arm,clients,rows,write_ms", *lines])))
    assert list(found["arm"]) == names


@given(name=st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1))
def test_any_name_comes_back_as_it_was_written(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("names") / "table.csv"
    frame = pd.DataFrame({"arm": [name], "clients": [1], "rows": [2], "write_ms": [3.0]})
    frame.to_csv(path, index=False)
    assert list(read_table(path)["arm"]) == [name]


def test_columns_may_stand_in_any_order_and_others_are_passed_over(tmp_path: Path) -> None:
    text = "note,write_ms,rows,clients\nx,1.5,8,10\n\ny,,8,20\n"
    found = read_table(written(tmp_path, text, "utf-8-sig"))
    assert found["clients"].tolist() == [10, 20]
    assert found["write_ms"][0] == 1.5
    assert math.isnan(found["write_ms"][1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ":1: the column clients is missing"),
        ("clients,rows,write_ms\n", "no line below its header"),
        (
            "clients,rows,ms\n1,2,3\n",
            ":1: the column write_ms is missing; it has clients, rows, ms",
        ),
        ("clients,clients,rows,write_ms\n", ":1: the column clients is there twice"),
        ("clients,rows,write_ms\n10,8,1\n10,8\n", ":3: 2 cells under 3 columns"),
        ("clients,rows,write_ms\nten,8,1\n", ":2: clients is 'ten', not a whole number"),
        ("clients,rows,write_ms\n-1,8,1\n", ":2: clients is '-1', not a whole number"),
        ("clients,rows,write_ms\n10,8.5,1\n", ":2: rows is '8.5', not a whole number"),
        ("clients,rows,write_ms\n10,8,fast\n", ":2: write_ms is 'fast', not a time above 0"),
        ("clients,rows,write_ms,view_calls\n1,8,2,x\n", ":2: view_calls is 'x', not a count"),
        ("clients,rows,write_ms,index_seeks\n1,8,2,-1\n", ":2: index_seeks is '-1', not a"),
        ("clients,rows,write_ms\n10,8,0\n", ":2: write_ms is '0', not a time above 0"),
        ("clients,rows,write_ms\n10,8,inf\n", ":2: write_ms is 'inf'"),
        ("clients,rows,write_ms\n10,8,nan\n", ":2: write_ms is 'nan'"),
        ('clients,rows,write_ms\n10,8,"1\n', ":2: unexpected end of data"),
        (
            "clients,rows,repeat,write_ms\n10,8,0,1\n10,8,1,1\n10,8,0,2\n",
            ":4: the same repeat of the same cell as in line 2: two runs are not one table",
        ),
    ],
)
def test_a_bad_table_is_one_line_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(RunError) as refused:
        read_table(written(tmp_path, text))
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"clients,rows,write_ms\n\xff,1,2\n")
    with pytest.raises(RunError, match="is not UTF-8 text"):
        read_table(path)


def test_rows_that_are_not_ok_take_no_part_in_a_fit(tmp_path: Path) -> None:
    lines = [f"{s},8,{0.1 + 0.2 * s},ok" for s in (0, 10, 50, 100)] + ["200,8,900,void"]
    found = fit(read_table(written(tmp_path, "\n".join(["clients,rows,write_ms,verdict", *lines]))))
    assert found.choice.best.max_clients == 100


def test_rows_of_one_cell_without_a_repeat_column_are_its_repeats(tmp_path: Path) -> None:
    lines = [f"{s},8,{(0.1 + 0.2 * s) * factor}" for s in (0, 10, 50, 100) for factor in (0.9, 1.1)]
    found = fit(read_table(written(tmp_path, "\n".join(["clients,rows,write_ms", *lines]))))
    assert found.interval(50, 8) is not None


def test_counts_in_a_table_prove_the_merge(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    lines = [
        f"{s},{r},{0.1 + 0.02 * s + 0.005 * s * r:.4f},{s * (4 * r + 1) + 1},{s if r > 8 else ''}"
        for s in (0, 10, 50, 100)
        for r in (8, 64)
    ]
    path.write_text("\n".join(["clients,rows,write_ms,index_seeks,view_calls", *lines]))
    frame = read_table(path)
    assert frame["view_calls"].isna().sum() == 4
    assert "merge" in {c.name for c in fit(frame).choice.ranked}
