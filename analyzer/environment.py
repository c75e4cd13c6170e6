"""Facts about this machine and this tool for the manifest."""

from __future__ import annotations

import datetime
import hashlib
import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from analyzer.build.cache import CHECKOUT
from analyzer.target import Server

_PACKAGES = ("httpx", "numpy", "pandas", "picows", "prometheus-client", "scipy", "uvloop",
             "websockets")  # fmt: skip


def provenance(server: Server, program: bytes) -> dict[str, Any]:
    """What a manifest says of the server, the module, this machine and this tool."""
    return {
        "argv": ["stdb-sweep", *sys.argv[1:]],
        "engine": {"name": f"SpacetimeDB ({server.kind})", "version": server.version},
        "module_sha256": hashlib.sha256(program).hexdigest(),
        "sittings": [_sitting()],
        "host": host_facts(),
        "packages": package_versions(),
        "git": git_state(),
    }


def host_facts() -> dict[str, Any]:
    """What a reader needs to place the times: no host name, no user name, no paths."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_mb": _memory_mb(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "system": platform.system(),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def package_versions() -> dict[str, str]:
    found = {}
    for name in ("stdb-sweep", *_PACKAGES):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def git_state() -> dict[str, Any] | None:
    """Revision of the checkout this tool runs from; None when it is installed."""
    if not (CHECKOUT / ".git").exists():
        return None
    revision = _git("rev-parse", "HEAD")
    if revision is None:
        return None
    return {"revision": revision, "dirty": bool(_git("status", "--porcelain"))}


def _sitting() -> dict[str, Any]:
    """When this process began to measure; a resumed run has several."""
    return {"started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")}


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *words], cwd=CHECKOUT, capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory_mb() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (OSError, ValueError):
        return None
