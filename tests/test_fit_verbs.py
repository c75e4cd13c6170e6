"""`fit` and `ceiling` on the command line and as functions, on a run and on a table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import analyzer
from analyzer.plan import Plan
from analyzer.store import RunWriter
from tests.command import error_line, stdb_sweep
from tests.factory import steps, windows

PLAN = Plan(
    scenario="lobby", arms=("per_sender", "anonymous"), clients=(0, 10, 50, 100), rows=(8, 64),
    repeats=3,
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "run"
    path.mkdir()
    writer = RunWriter.create(path, {"plan": PLAN.to_dict(), "seed": 1, "sittings": []})
    for step in steps(PLAN):
        writer.append(windows(step), [], step)
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    lines = [
        f"{arm},{s},{r},{factor * (0.1 + 0.02 * s + 0.005 * s * r):.4f}"
        for arm, factor in (("None", 1), ("NA", 2))
        for s in (0, 10, 50, 100)
        for r in (8, 64)
    ]
    path.write_text("\n".join(["arm,clients,rows,write_ms", *lines]))
    return path


def test_fit_prints_every_form_of_every_arm(run: Path) -> None:
    done = stdb_sweep("fit", run, cwd=run)
    assert done.returncode == 0, done.stderr
    assert "lobby / per_sender" in done.stdout
    assert "lobby / anonymous" in done.stdout
    assert "S=100 foretold" in done.stdout
    assert done.stderr == ""


def test_fit_gives_one_json_document(table: Path) -> None:
    done = stdb_sweep("fit", table, "--json", cwd=table.parent)
    none, na = json.loads(done.stdout)
    assert (none["arm"], na["arm"]) == ("None", "NA")
    assert none["best"]["form"] == "bilinear"
    assert [c["value"] for c in none["best"]["coefficients"]] == pytest.approx([0.1, 20, 5])
    assert none["others"][0]["held_out"]["clients"] == 100


def test_ceiling_answers_for_a_time_per_write(table: Path) -> None:
    done = stdb_sweep("ceiling", table, "--budget", "20ms", "--json", cwd=table.parent)
    found = json.loads(done.stdout)
    assert found["budget_ms"] == 20.0
    answers = {(c["arm"], c["rows"]): c["clients"] for c in found["ceilings"]}
    assert answers == {("None", 8): None, ("None", 64): 58, ("NA", 8): 165, ("NA", 64): 29}


def test_ceiling_answers_for_a_share_of_the_lock(table: Path) -> None:
    words = ["--utilization", "0.5", "--writes-per-client", "1", "--arm", "NA"]
    done = stdb_sweep("ceiling", table, *words, cwd=table.parent)
    assert done.returncode == 0, done.stderr
    assert "Ceilings at 50 % of the lock at 1 writes/s a client" in done.stdout
    assert "mean wait" in done.stdout
    assert "the knee is at 59 % of the lock" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ([], 2, "which budget?"),
        (["--budget", "fast"], 2, "'fast' is not a duration"),
        (["--utilization", "0.5"], 2, "needs one rate"),
        (["--writes-per-second", "5"], 2, "needs a utilization"),
        (["--budget", "50ms", "--utilization", "0.5", "--writes-per-second", "5"], 2, "not both"),
        (["--budget", "50ms", "--arm", "magic"], 1, "has no arm 'magic': it has None, NA"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    table: Path, words: list[str], code: int, told: str
) -> None:
    done = stdb_sweep("ceiling", table, *words, cwd=table.parent)
    assert done.returncode == code
    assert told in error_line(done)
    assert done.stdout == ""


def test_a_bad_line_of_a_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("clients,rows,write_ms\n10,8,1\nx,8,2\n")
    done = stdb_sweep("fit", "bad.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert error_line(done) == "stdb-sweep: bad.csv:3: clients is 'x', not a whole number"


def test_a_table_without_a_model_ends_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_text("clients,rows,write_ms\n10,8,1\n20,8,2\n")
    done = stdb_sweep("fit", "small.csv", cwd=tmp_path)
    assert done.returncode == 1
    assert error_line(done).endswith("needs 4 cells, has 2: add one to --clients")


def test_the_same_answers_come_from_python(run: Path) -> None:
    model = analyzer.fit(analyzer.load_run(run), arm="per_sender")
    # 0.02 + 0.003 (S (4 G + 1) + 1) + 0.005 + 0.001 S
    assert model.predict(100, 64) == pytest.approx(0.028 + 0.003 * 25700 + 0.1, rel=1e-6)
    found = analyzer.ceiling(model, "50ms", rows=64)
    assert found.clients == 64
    assert str(found).startswith("64 clients; 95 % interval 64 to 64; reach 0.64x; by the ")
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["clients"] == 64
    assert json.loads(json.dumps(model.to_dict(), allow_nan=False))["best"]["cells"] == 8
    assert "cost model: " in str(model)
    assert "forms; a rival" in str(model)
    with pytest.raises(AttributeError):
        model.arm = "other"  # type: ignore[misc]


def test_a_run_of_two_machines_has_laws_and_no_cost_model(run: Path, tmp_path: Path) -> None:
    loaded = analyzer.load_run(run)
    sittings = [{"cpu": name, "cores": 2} for name in ("A", "B")]
    mixed = analyzer.Run(run, loaded.manifest | {"sittings": sittings}, loaded.observations)
    with pytest.raises(analyzer.SweepError, match=r"unlike machines \(A, 2 cores; B, 2 cores"):
        analyzer.fit(mixed, arm="per_sender")


def test_fit_trained_on_few_clients_foretells_the_others(table: Path) -> None:
    done = stdb_sweep("fit", table, "--train-up-to", 50, "--arm", "NA", "--json", cwd=table.parent)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)
    assert found["training"] == "6 cells, S = 0, 10, 50 at R = 8, 64"
    assert [(cell["clients"], cell["rows"]) for cell in found["foretold"]] == [(100, 8), (100, 64)]
    assert found["error"] < 0.01
    assert found["foretold"][0]["inside"] is None


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--train-up-to", 100), "no cell has more than 100 clients"),
        (("--rows", "9"), "no cells at 9 rows"),
        (("--train-up-to", 10, "--rows", "8"), "client counts above 0"),
    ],
)
def test_fit_without_the_cells_it_takes_says_which(
    table: Path, flags: tuple[object, ...], told: str
) -> None:
    done = stdb_sweep("fit", table, *flags, cwd=table.parent)
    assert done.returncode == 1
    assert told in error_line(done)
