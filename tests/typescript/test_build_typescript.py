"""Bundling a TypeScript module: once, whole, and with one line when it cannot be done."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.build.typescript import module_js
from analyzer.errors import BuildError


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of tools beside the system's own, and a cache with nothing in it."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("STDB_SWEEP_CACHE", str(tmp_path / "cache"))
    return folder


def npm(tools: Path, script: str) -> None:
    for name, text in (("node", "exit 0"), ("npm", script)):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)


def test_without_node_it_says_what_to_install(tools: Path, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"Node\.js 20 or newer and npm"):
        module_js("lobby")
    assert not (tmp_path / "cache").exists()


def test_a_bundle_is_made_of_a_copy_once_and_then_found(tools: Path, tmp_path: Path) -> None:
    npm(tools, '[ "$3" = bundle ] && /bin/mkdir dist && echo "$*" > dist/lobby.js; exit 0')
    path = module_js("lobby")
    assert path.read_text() == "run --silent bundle\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["lobby.js"]
    assert [entry.name for entry in path.parent.parent.iterdir()] == [path.parent.name]
    (tools / "npm").unlink()
    assert module_js("lobby") == path


def test_a_type_error_is_told_in_one_line_with_the_log(tools: Path, tmp_path: Path) -> None:
    wrong = "src/index.ts(3,1): error TS2322: Type 'string' is not assignable to type 'bigint'."
    npm(tools, f'[ "$3" = check ] && echo "checking\n{wrong}\nmore" && exit 2; exit 0')
    with pytest.raises(BuildError) as caught:
        module_js("lobby")
    told = str(caught.value)
    assert told.startswith(f"npm run --silent check failed in the TypeScript module: {wrong} (log:")
    assert "more" in (tmp_path / "cache" / "typescript-modules" / "build.log").read_text()


def test_the_real_bundle_asks_for_the_servers_calls_only_and_names_no_folder_of_this_machine() -> (
    None
):
    text = module_js("lobby").read_text()
    imports = {line.split(" from ")[1] for line in text.splitlines() if line.startswith("import ")}
    assert imports == {'"spacetime:sys@2.0";', '"spacetime:sys@2.1";'}
    assert str(Path.home()) not in text
