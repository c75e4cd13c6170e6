"""The command line before any server is involved (pitfalls 23, 25)."""

from __future__ import annotations

import ast
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import analyzer
import analyzer.cli.sweep
from analyzer.cli import VERBS
from analyzer.cli.output import print_document
from analyzer.errors import SweepError
from analyzer.report.layout import Content
from tests.command import error_line, stdb_sweep

HEAVY = {
    "numpy",
    "scipy",
    "pandas",
    "httpx",
    "websockets",
    "matplotlib",
    "jinja2",
    "prometheus_client",
}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--clients 1,10,,100, --rooms 8", "--clients: an item"),
        ("--clients 0 --rooms 8", "--clients: '0'"),
        ("--clients 1e3 --rooms 8", "'1e3'"),
        ("--clients ten --rooms 8", "'ten'"),
        ("--clients 10 --rooms 8,x", "--rooms: 'x'"),
        ("--clients 10", "--rooms"),
        ("--rooms 8", "--clients is missing"),
        ("--clients 10 --rooms 8 --entrants 8", "one row axis"),
        ("--clients 10 --rooms 8 --arms magic", "'magic'"),
        ("--clients 10 --rooms 8 --budget 50", "'50' is not a duration"),
        ("--clients 10 --rooms 8 --repeats 0", "--repeats"),
        ("--clients 10 --rooms 8 --until soon", "--until: 'soon'"),
        ("--clients 10 --rooms 8 --until 0%", "--until: '0%'"),
        ("--clients 10 --rooms 8 --until 5% --repeats 3", "more than 3 --repeats"),
        ("--clients 10 --rooms 8 --rate 0", "--rate 0"),
        ("--clients 10 --rooms 8 --rate nan", "--rate nan"),
        ("--clients 10 --rooms 8 --rate inf", "--rate inf"),
        ("--clients 10 --rooms 8 --seed -1", "--seed"),
        ("--clients 10 --rooms 8 --server http://[::1", "--server"),
        ("--clients 10 --rooms 8 --server http://127.0.0.1:99999", "65535"),
        ("--clients 10 --rooms 8 --server http://127.0.0.1:1 --server-bin /bin/true", "exclude"),
        ("--clients 10 --rooms 8 --token-file /dev/null", "--token-file goes with --server"),
        ("--clients 10 --rooms 8 --subscribers tin", "'tin'"),
        (
            "--clients 10 --rooms 8 --subscribers engine --server http://127.0.0.1:1",
            "--subscribers engine needs the embedded engine",
        ),
        (
            "--clients 10 --rooms 8 --subscribers engine --server-bin /bin/true",
            "--subscribers engine needs the embedded engine",
        ),
        (
            "--clients 10 --rooms 8 --subscribers engine --protocol v3.bsatn",
            "--subscribers engine speaks v2.bsatn",
        ),
        ("--clients 10 --rooms 8 --module-language java", "--module-language"),
        ("--clients 10 --entrants 8 --module-language typescript", "no TypeScript twin"),
        ("--clients 10 --rooms 8 --magic", "--magic"),
        ("--clients 10 --rooms 8 --view v", "--view goes with --module FILE or --database NAME"),
        ("--clients 10 --module m.wasm --database d", "exclude each other"),
        ("--clients 10 --module m.wasm --rooms 8", "--rooms goes with a module of ours"),
        ("--clients 10 --module m.wasm", "--view is missing"),
        ("--clients 10 --module m.wasm --view v", "--write is missing"),
        ("--clients 10 --module m.wasm --view v --write f({x})", "there is no {x}"),
        ("--clients 10 --module m.wasm --view v --write f", "m.wasm: No such file"),
        ("--clients 10 --module /etc/hosts --view v --write f", "it is no WASM file"),
        ("--clients 10 --module m.wasm --view v --write f --expect seeks", "seeks=S*(4*R+1)+1"),
        ("--clients 10 --module m.wasm --view v --write f --expect seks=1", "did you mean 'seeks'"),
        ("--clients 10 --database d --view v --write f", "--database goes with --server"),
        ("--clients 10 --rooms 8 --writes 1.5", "--writes: '1.5' is not a valid whole number"),
        ("--clients 10 --rooms 8 --out /dev/full", "--out: '/dev/full' is not a folder"),
        ("--budget 20ms", "give one row axis"),
        ("--json", "give one row axis"),
        ("--json scenarios", "--json stands before 'scenarios'"),
        ("--budget 20ms report run", "--budget stands before 'report'"),
        ("--clients 2 --rooms 2 scenarios", "--clients stands before 'scenarios'"),
        ("dance", "stdb-sweep: No such command 'dance'."),
        ("report r --json --format md", "--json and --format md exclude each other"),
        ("report r --format pdf", "'pdf'"),
    ],
)
def test_bad_usage_ends_with_exit_2_and_names_the_bad_item(
    tmp_path: Path, arguments: str, told: str
) -> None:
    done = stdb_sweep(*arguments.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert error_line(done).startswith("stdb-sweep: ")
    assert told in error_line(done)
    assert "Usage:" not in done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", ["", "gone"])
def test_a_run_goes_to_a_folder_that_is_named_and_can_be_one(tmp_path: Path, out: str) -> None:
    (tmp_path / "gone").symlink_to("nowhere")
    done = stdb_sweep("--clients", "1", "--rooms", "1", "--out", out, cwd=tmp_path)
    assert done.returncode == 2
    assert error_line(done).startswith("stdb-sweep: --out: ")


@pytest.mark.parametrize("rooms", ["8", ""])
def test_an_empty_list_is_refused(tmp_path: Path, rooms: str) -> None:
    done = stdb_sweep("--clients", "", "--rooms", rooms, cwd=tmp_path)
    assert done.returncode == 2
    assert "--clients" in error_line(done)


def test_a_huge_product_is_announced_before_anything_starts(tmp_path: Path) -> None:
    clients = ",".join(map(str, range(1, 200)))
    done = stdb_sweep(
        "--clients", clients, "--rooms", "1,2", "--server", "http://127.0.0.1:1", cwd=tmp_path
    )
    assert "800 cells" in done.stderr
    assert "long sweep" in done.stderr


def test_help_needs_no_heavy_import(tmp_path: Path) -> None:
    probe = (
        "import sys\n"
        "from analyzer.cli import main\n"
        "sys.argv = ['stdb-sweep', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert "Examples" in done.stdout
    assert not HEAVY & set(done.stdout.split())


@pytest.mark.parametrize("verb", [[], *([verb] for verb in sorted(VERBS))])
def test_every_verb_has_help(tmp_path: Path, verb: list[str]) -> None:
    done = stdb_sweep(*verb, "--help", cwd=tmp_path, env={"COLUMNS": "80"})
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: stdb-sweep")
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "..." not in done.stdout.replace("]...", ""), "a summary is cut short"


def test_the_list_of_scenarios_fits_a_terminal(tmp_path: Path) -> None:
    lines = stdb_sweep("scenarios", cwd=tmp_path).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert " * per_sender       the lobby as each caller sees it: one materialization per" in lines


def test_scenarios_lists_every_arm_with_its_axis(tmp_path: Path) -> None:
    done = stdb_sweep("scenarios", "--json", cwd=tmp_path)
    listed = {entry["scenario"]: entry for entry in json.loads(done.stdout)}
    assert listed["lobby"]["axis"] == "rooms"
    assert {arm["name"] for arm in listed["tournament"]["arms"]} == {
        "per_sender", "one_anonymous", "anonymous", "projection"
    }  # fmt: skip


def test_report_of_what_is_no_run_is_one_line(tmp_path: Path) -> None:
    done = stdb_sweep("report", "nowhere", cwd=tmp_path)
    assert done.returncode == 1
    assert "no run directory" in error_line(done)


def test_the_public_names_are_all_there_and_sorted() -> None:
    assert analyzer.__all__ == sorted(analyzer.__all__)
    for name in analyzer.__all__:
        assert getattr(analyzer, name) is not None


def test_importing_the_package_touches_no_plotting_backend_and_starts_nothing() -> None:
    probe = "import sys, analyzer; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert "matplotlib" not in done.stdout.split()


def test_no_module_is_longer_than_400_lines() -> None:
    root = Path(analyzer.__file__).parent
    for path in root.rglob("*.py"):
        text = path.read_text()
        ast.parse(text)
        assert text.count("\n") <= 400, path


@pytest.mark.parametrize(("package", "arguments"), [("click", ["--help"]), ("rich", ["published"])])
def test_ctrl_c_while_it_starts_is_one_line(
    tmp_path: Path, package: str, arguments: list[str]
) -> None:
    (tmp_path / f"{package}.py").write_text("raise KeyboardInterrupt")
    done = stdb_sweep(*arguments, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 130
    assert done.stderr.strip() == "stdb-sweep: interrupted"


@pytest.mark.parametrize("columns", ["0", "1"])
def test_a_terminal_without_a_width_gets_the_whole_report(tmp_path: Path, columns: str) -> None:
    done = stdb_sweep("published", cwd=tmp_path, env={"COLUMNS": columns})
    assert done.stdout == stdb_sweep("published", cwd=tmp_path, env={"COLUMNS": "80"}).stdout
    assert "The article's tables, refitted" in done.stdout


def test_what_is_no_number_never_gets_into_a_json_document() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        print_document(lambda: {"cost": math.nan}, lambda: Content("", ()), as_json=True)


def test_notes_of_an_error_are_sentences_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing(*args: object, **flags: object) -> None:
        error = SweepError("cannot reach it; is the server running?")
        for note in ("nothing was measured yet", "nothing was measured yet", "it ended.", "so"):
            error.add_note(note)
        raise error

    monkeypatch.setattr(analyzer.cli.sweep, "run_sweep", failing)
    monkeypatch.setattr(sys, "argv", ["stdb-sweep", "--clients", "1", "--rooms", "1"])
    with pytest.raises(SystemExit):
        analyzer.cli.main()
    told = "cannot reach it; is the server running? Nothing was measured yet. It ended. So\n"
    assert capsys.readouterr().err == f"stdb-sweep: {told}"


def test_ctrl_c_before_anything_is_measured_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*args: object, **flags: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(analyzer.cli.sweep, "run_sweep", interrupted)
    monkeypatch.setattr(sys, "argv", ["stdb-sweep", "--clients", "1", "--rooms", "1"])
    with pytest.raises(SystemExit) as caught:
        analyzer.cli.main()
    assert caught.value.code == 130
    assert capsys.readouterr().err.strip() == "stdb-sweep: interrupted"
