"""The workflow of docs/ci, as GitHub would run it, on the embedded engine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from analyzer.build.modules import module_wasm

CI = Path(__file__).parent.parent / "docs" / "ci"
MODULE = Path("target/wasm32-unknown-unknown/release/my_module.wasm")


def commands() -> list[str]:
    """What the workflow runs of ours, in order."""
    workflow = yaml.safe_load((CI / "view-costs.yml").read_text())
    steps = workflow["jobs"]["counts"]["steps"]
    return [step["run"] for step in steps if step.get("run", "").startswith("stdb-sweep")]


def run_workflow(folder: Path, wasm: Path) -> subprocess.CompletedProcess[str]:
    """In a repository whose module is `wasm`; the first command that fails is the last."""
    (folder / MODULE).parent.mkdir(parents=True)
    shutil.copy(wasm, folder / MODULE)
    (folder / "ci").mkdir()
    for name in ("view-costs.toml", "view-costs.txt"):
        shutil.copy(CI / name, folder / "ci")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "GITHUB_ACTIONS": "true", "COLUMNS": "200"}
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", "\n".join(commands())],
        cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=300,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_the_workflow_builds_measures_and_checks() -> None:
    assert [command.split()[1] for command in commands()] == ["engine", "run", "check"]


def test_a_module_that_keeps_its_counts_passes(tmp_path: Path) -> None:
    done = run_workflow(tmp_path, module_wasm("lobby"))
    assert done.returncode == 0, done.stderr
    assert "active_game_per_sender.seeks == S*(4*R+1)+1: holds in 6 of 6" in done.stdout
    assert "::error" not in done.stderr
    assert (tmp_path / "view-costs" / "junit.xml").is_file()


def test_one_seek_more_per_room_fails_the_pull_request_from_counts_alone(
    tmp_path: Path, strange_modules: dict[str, Path]
) -> None:
    done = run_workflow(tmp_path, strange_modules["wrong_lobby"])
    assert done.returncode == 99, done.stderr
    assert "active_game_per_sender.seeks[S=2,R=4] is 43, not == 35" in done.stdout
    assert "active_game_per_sender.view_calls == S: holds in 6 of 6" in done.stdout
    annotation = next(line for line in done.stderr.splitlines() if line.startswith("::error"))
    assert "active_game_per_sender.seeks == S*(4*R+1)+1%0A" in annotation
    assert "write_ms" not in (tmp_path / "ci" / "view-costs.txt").read_text()


@pytest.mark.parametrize("name", ["view-costs.yml", "view-costs.toml", "view-costs.txt"])
def test_every_file_of_the_gate_is_named_on_its_page(name: str) -> None:
    assert f"]({name})" in (CI / "README.md").read_text()
