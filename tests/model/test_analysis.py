"""A whole run analysed, and the files it leaves: strict JSON, blank where unknown."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from typing import Any

import pandas as pd
import pytest

from analyzer.model.analysis import Analysis, analyse
from analyzer.model.export import CEILING_COLUMNS, ceilings_csv, laws_document, model_document
from tests.model.frames import bilinear, frame, reference


def two_arms(**options: Any) -> pd.DataFrame:
    anonymous = frame(
        lambda s, g: bilinear(1, g) if s else 0.025,
        arm="anonymous",
        seeks=lambda s, g: 4 * g * (s > 0) + 1,
        calls=lambda s, g: s > 0,
        **options,
    )
    return pd.concat([frame(**options), anonymous], ignore_index=True)


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return analyse(two_arms(noise=0.05))


def test_every_arm_has_its_laws_its_form_and_a_ceiling_for_every_number_of_rooms(
    analysis: Analysis,
) -> None:
    per_sender, anonymous = analysis.arms
    assert per_sender.laws["index_seeks"].formula(per_sender.axis) == "S*(4*G+1)+1"
    assert per_sender.model is not None
    assert anonymous.model is not None
    assert per_sender.model.choice.best.form.name == "merge"
    assert anonymous.model.choice.best.form.name in {"rows", "linear+rows"}
    assert [item.rows for item in per_sender.ceilings] == [8, 64, 256, 1000]


def test_times_cheaper_has_an_interval_around_the_planted_ratio(analysis: Analysis) -> None:
    worst = next(r for r in analysis.ratios if (r.clients, r.rows) == (100, 1000))
    assert (worst.arm, worst.base) == ("anonymous", "per_sender")
    assert worst.low is not None
    assert worst.high is not None
    assert worst.low <= worst.times <= worst.high
    assert worst.times == pytest.approx(100, rel=0.1)
    assert all(ratio.clients > 0 for ratio in analysis.ratios)


def test_one_repeat_has_ratios_without_intervals() -> None:
    found = analyse(two_arms(repeats=1)).ratios
    assert {(ratio.low, ratio.high) for ratio in found} == {(None, None)}


def test_a_small_run_keeps_its_laws_and_says_why_there_is_no_model() -> None:
    arm = analyse(frame(clients=(0, 10), rows=(8,))).arms[0]
    assert arm.model is None
    assert "needs 2 client counts above 0, has 1" in arm.refusal
    assert arm.laws["index_seeks"].exact


def test_the_same_frame_gives_the_same_analysis() -> None:
    planted = two_arms(noise=0.1)
    assert analyse(planted).to_dict() == analyse(planted).to_dict()


@pytest.mark.parametrize(
    "run",
    [
        two_arms(repeats=1),
        two_arms(noise=0.1),
        frame(clients=(0, 10), rows=(8,)),
        frame().assign(verdict="void", reason="proxy"),
        frame(lambda s, g: float("nan")),
        reference("server-2.8.3-lobby"),
    ],
    ids=["one repeat", "noisy", "small", "void", "unknown", "reference"],
)
def test_json_is_strict_whatever_is_unknown(run: pd.DataFrame) -> None:
    text = json.dumps(analyse(run).to_dict(), allow_nan=False)
    assert json.loads(text)["budget_ms"] == 50.0


def test_the_law_file_names_scenario_arm_and_count(analysis: Analysis) -> None:
    first = laws_document(analysis)[0]
    assert first["coefficients"] == {"1": 1, "S": 1, "SR": 4}
    assert (first["scenario"], first["arm"], first["count"]) == (
        "lobby",
        "per_sender",
        "index_seeks",
    )
    unknown = next(law for law in laws_document(analysis) if law["count"] == "rows_scanned")
    assert (unknown["formula"], unknown["residual"], unknown["exact"]) == (None, None, False)


def test_the_model_file_gives_every_coefficient_its_unit_and_interval(analysis: Analysis) -> None:
    best = model_document(analysis)[0]["best"]
    assert [item["unit"] for item in best["coefficients"]] == [
        "ms",
        "us per client",
        "us per client and room",
        "ns per key compared",
    ]
    last = best["coefficients"][2]
    assert last["low"] < last["value"] < last["high"]
    assert last["value"] == pytest.approx(8, rel=0.1)


def test_the_ceiling_file_has_its_columns_and_blanks_for_unknown(analysis: Analysis) -> None:
    table = list(csv.DictReader(io.StringIO(ceilings_csv(analysis))))
    assert tuple(table[0]) == CEILING_COLUMNS
    assert (table[0]["clients"], table[0]["low"], table[0]["high"]) == ("", "300", "")
    assert 80 < int(table[1]["clients"]) < 105
    assert len(table) == 8


def test_importing_the_model_does_not_import_pandas_or_scipy() -> None:
    code = (
        "import sys, analyzer.model.analysis, analyzer.report.content;"
        "print([m for m in ('pandas', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
