"""Sweep files before any server is involved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.core import ParameterSource

from analyzer.build.cache import CHECKOUT
from analyzer.cli import load_verb
from analyzer.cli.run import command
from analyzer.experiments import EXPERIMENTS
from analyzer.sweepfile import read_sweep_file
from tests.command import error_line, stdb_sweep

FILE = ParameterSource.DEFAULT_MAP
NOWHERE = ("--server", "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("name", "cells"),
    [("beyond-100", 27), ("lobby", 32), ("lobby-designs", 128), ("tournament", 48)],
)
def test_the_sweeps_that_come_with_the_tool_can_be_run(
    tmp_path: Path, name: str, cells: int
) -> None:
    """From any folder, by the name that the documents use."""
    words = ("--subscribers", "websocket", *NOWHERE)
    done = stdb_sweep("run", f"sweeps/{name}.toml", *words, cwd=tmp_path)
    assert done.returncode == 1
    assert f"{cells} cells" in done.stderr
    assert "is the server running?" in error_line(done)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_a_file_that_its_verb_takes(name: str) -> None:
    file = CHECKOUT / "sweeps" / f"{name}.toml"
    with command.make_context("run", [str(file), "--json"]) as context:
        assert context.command is load_verb(name)
        assert context.params["as_json"]
        given = set(read_sweep_file(file, {*context.params, "experiment"}).flags)
        taken = {key for key in given if context.get_parameter_source(key) is FILE}
        assert given - taken == {"experiment"}


def test_flags_win_over_the_file_of_an_experiment(tmp_path: Path) -> None:
    file = CHECKOUT / "sweeps" / "transport.toml"
    small = ("--calls", "50", "--warmup", "16", "--runs", "1", "--out", "run")
    done = stdb_sweep("run", *small, file, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    settings = json.loads((tmp_path / "run" / "manifest.json").read_text())["settings"]
    assert (settings["calls"], settings["runs"], settings["depth"]) == (50, 1, 16)


def test_flags_win_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("clients = [1, 2]\nrooms = 8\nrepeats = 2\n")
    done = stdb_sweep("run", "s.toml", "--clients", "5", *NOWHERE, cwd=tmp_path)
    assert "lobby: 4 cells, 2 repeats" in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("room = [1]", "unknown key 'room': did you mean 'rooms'?"),
        ("zzz = 1", "unknown key 'zzz': known are arm, arms, budget"),
        ("clients = [1", "s.toml is no TOML"),
        ('experiment = "tabels"', "no experiment 'tabels': did you mean 'tables'?"),
        ('experiment = "tables"\ntabels = 1', "unknown key 'tabels': did you mean 'tables'?"),
        ('experiment = "residue"\nclients = 0', "--clients"),
        ("clients = [1]\nrooms = [8]\nrepeats = 0", "repeats"),
        ("clients = [1.5]\nrooms = [8]", "'1.5' is not a whole number"),
        ("allow_remote = true", "--allow-remote"),
        ('i_own_this_database = "shop"', "is said on the command line"),
        ("arm = 3", "[[arm]]"),
        ('clients = [1]\nrooms = [8]\n[[arm]]\nviews = "v"', "[[arm]] goes with a module"),
        ('module = "m.wasm"\nviews = "v"\n[[arm]]\nviews = "v"', "they exclude [[arm]]"),
        ('module = "m.wasm"\nwrite = "w"\n[[arm]]\nviews = "v"\nevery = 0', "every = 0"),
        ('module = "m.wasm"\nwrite = "w"\n[[arm]]\nviews = "v"\nexpect = "S"', "expect = {"),
        ('module = "m.wasm"\nwrite = "w"\n[[arm]]\nviews = "v"\nrows_of = "x"', "no arm: 'x'"),
        ('module = "m.wasm"\nclients = [1]\n[[arm]]\nview = ["v"]', "did you mean 'views'?"),
        ('module = "m.wasm"\nclients = [1]\n[[arm]]\nviews = ["v"]', "--write is missing"),
    ],
)
def test_a_file_that_is_wrong_ends_with_exit_2_and_names_the_place(
    tmp_path: Path, text: str, told: str
) -> None:
    (tmp_path / "s.toml").write_text(text)
    done = stdb_sweep("run", "s.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert told in error_line(done)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    done = stdb_sweep("run", "s.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert "s.toml" in error_line(done)
