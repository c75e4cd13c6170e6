"""The notebooks run from top to bottom, and each is there twice with the same cells."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from analyzer.build.cache import CHECKOUT

NOTEBOOKS = sorted(CHECKOUT.glob("notebooks/*.ipynb"))


def _tool(name: str, *args: object, cwd: Path) -> str:
    done = subprocess.run(
        [Path(sys.executable).with_name(name), *map(str, args)],
        cwd=cwd, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def _cells(document: Any) -> list[tuple[str, str]]:
    return [(cell["cell_type"], cell["source"]) for cell in document["cells"]]


def test_there_are_four_notebooks_each_with_its_script() -> None:
    numbers = [path.stem.partition("-")[0] for path in NOTEBOOKS]
    assert numbers == ["01", "02", "03", "04"]
    assert [path.stem for path in sorted(CHECKOUT.glob("notebooks/*.py"))] == [
        path.stem for path in NOTEBOOKS
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_and_script_are_in_step_and_carry_no_output(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    _tool("jupytext", "--to", "ipynb", "-o", tmp_path / "from.ipynb", path.with_suffix(".py"),
          cwd=tmp_path)  # fmt: skip
    assert _cells(notebook) == _cells(nbformat.read(tmp_path / "from.ipynb", as_version=4))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"]] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_uses_the_public_api_only(path: Path) -> None:
    lines = path.with_suffix(".py").read_text(encoding="utf-8").splitlines()
    imports = {line for line in lines if "import" in line.split() and "analyzer" in line}
    assert imports == {"import analyzer"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_from_top_to_bottom(path: Path, tmp_path: Path) -> None:
    for folder in ("data", "tests"):
        (tmp_path / folder).symlink_to(CHECKOUT / folder)
    (tmp_path / "notebooks").mkdir()
    copy = tmp_path / "notebooks" / path.name
    copy.write_bytes(path.read_bytes())
    _tool("jupyter-execute", "--inplace", "--timeout=300", copy, cwd=tmp_path)
    cells = nbformat.read(copy, as_version=4)["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in code)
    streams = [out for cell in code for out in cell["outputs"] if out.get("name") == "stderr"]
    assert streams == []
