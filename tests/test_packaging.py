"""What is in wheel and sdist, and that the wheel needs neither Rust nor the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

from analyzer.build.cache import BUILT, CHECKOUT
from analyzer.build.modules import MODULES, build_modules
from analyzer.target import Server

NEEDED = ("analyzer", "data", "docs", "engine", "hatch_build.py", "LICENSE", "modules",
          "pyproject.toml", "README.md", "sweeps", ".gitignore")  # fmt: skip


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout without what was built in it."""
    copy = tmp_path_factory.mktemp("packaging") / "checkout"
    copy.mkdir()
    for name in NEEDED:
        source = CHECKOUT / name
        if source.is_file():
            shutil.copy2(source, copy)
            continue
        built = ("wasm", "__pycache__") if name == "analyzer" else BUILT
        shutil.copytree(source, copy / name, ignore=shutil.ignore_patterns(*built))
    return copy


def _sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in CHECKOUT.joinpath(folder).rglob("*")]
    names = [path.relative_to(CHECKOUT) for path in found if path.is_file()]
    return [name for name in names if BUILT.isdisjoint(name.parts)]


def _hatch(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build"],
        cwd=checkout, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def dist(checkout: Path) -> Path:
    """The folder of wheel and sdist; an earlier test may have tried without the WASM."""
    wasm = checkout / "analyzer" / "wasm"
    wasm.mkdir()
    for path in build_modules():
        shutil.copy2(path, wasm)
    # What a developer's own cargo and npm leave must not be packed.
    for junk in ("modules/target/junk.rlib", "modules/lobby-ts/node_modules/junk.js"):
        (checkout / junk).parent.mkdir(parents=True)
        (checkout / junk).write_text("")
    done = _hatch(checkout)
    assert done.returncode == 0, done.stderr
    return checkout / "dist"


@pytest.fixture(scope="module")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel; the dependencies are those of this one."""
    root = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root], check=True)
    (wheel,) = dist.glob("*.whl")
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", root / "bin" / "python", "install",
         "--quiet", "--no-deps", "--no-index", wheel],
        check=True,
    )  # fmt: skip
    (packages,) = root.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return root


def _run(installed: Path, *args: object) -> subprocess.CompletedProcess[str]:
    """The installed command on a machine without Rust, engine or checkout."""
    home = installed.parent
    done = subprocess.run(
        [installed / "bin" / "stdb-sweep", *map(str, args)],
        cwd=home,
        env={"PATH": f"{installed / 'bin'}{os.pathsep}/usr/bin:/bin", "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_a_build_without_the_modules_wasm_ends_with_a_line_that_says_what_to_do(
    checkout: Path,
) -> None:
    done = _hatch(checkout)
    assert done.returncode != 0
    assert done.stderr.strip().splitlines()[-1] == (
        "the WASM of dashboard, lobby, poker, tournament, transfer is not in analyzer/wasm: "
        "build with `make wheel`, which takes Rust; a wheel must not need it"
    )


def test_the_wheel_holds_wasm_sources_sweeps_and_published_tables(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    wanted = {
        *(str(path.relative_to(CHECKOUT)) for path in CHECKOUT.glob("analyzer/**/*.py")),
        *(f"analyzer/wasm/{name}.wasm" for name in MODULES),
        *(f"analyzer/data/{name}" for name in _sources("engine", "modules", "sweeps")),
        "analyzer/data/published/ceilings.csv",
        "analyzer/py.typed",
    }
    assert wanted <= set(names)
    assert not [name for name in names if "junk" in name or name.startswith("tests/")]


def test_the_sdist_holds_what_a_wheel_is_built_from(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {
        *(str(path.relative_to(CHECKOUT)) for path in CHECKOUT.glob("analyzer/**/*.py")),
        *(f"analyzer/wasm/{name}.wasm" for name in MODULES),
        *("hatch_build.py", "engine/Cargo.lock", "modules/lobby/src/lib.rs", "sweeps/lobby.toml"),
    }
    assert wanted <= names
    assert not [name for name in names if "junk" in name]


def test_the_installed_wheel_answers_without_rust_and_without_a_checkout(installed: Path) -> None:
    assert "Usage: stdb-sweep" in _run(installed, "--help").stdout
    assert "per_sender" in _run(installed, "scenarios").stdout
    assert "The article's tables, refitted" in _run(installed, "published").stdout
    done = _run(installed, "run", "elsewhere")
    assert done.returncode == 2
    assert "there is no file elsewhere, and none of ours: beyond-100, dashboard" in done.stderr


def test_the_installed_wheel_runs_a_packed_sweep_by_name_on_a_server(
    installed: Path, engine: Server
) -> None:
    done = _run(
        installed, "run", "lobby", "--clients", "1,2", "--rooms", "4,8", "--repeats", 1,
        "--windows", 1, "--server", engine.url, "--out", "run",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "index seeks per write: S*(4*G+1)+1; exact in all 6 cells" in " ".join(
        done.stdout.split()
    )
    assert "stdb-sweep run lobby" in " ".join(
        (installed.parent / "run" / "manifest.json").read_text().split()
    ).replace('", "', " ")


def test_the_installed_wheel_says_how_to_get_the_embedded_engine(installed: Path) -> None:
    done = _run(installed, "--clients", 1, "--rooms", 4)
    assert done.returncode == 1
    assert "the embedded engine is not built yet: run `stdb-sweep engine build`" in done.stderr
