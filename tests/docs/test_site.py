"""The site builds strictly, and its reference pages leave nothing out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import analyzer
from analyzer.build.cache import CHECKOUT
from analyzer.cli import VERBS


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=CHECKOUT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_the_command_line_page_has_every_verb(site: Path) -> None:
    page = (site / "cli" / "index.html").read_text(encoding="utf-8")
    assert [verb for verb in VERBS if f"stdb-sweep {verb}" not in page] == []


def test_the_python_page_has_every_public_name(site: Path) -> None:
    page = (site / "api" / "index.html").read_text(encoding="utf-8")
    assert [name for name in analyzer.__all__ if f"::: analyzer.{name}" in page] == []
    text = (CHECKOUT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [name for name in analyzer.__all__ if f"::: analyzer.{name}\n" not in text] == []
    assert "The largest whole S whose predicted write cost is within the budget" in page


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'src="http' not in text, page
        assert 'rel="stylesheet" href="http' not in text, page
