"""Is this machine, this installation and this server fit for a sweep? Each check says why."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from analyzer.bench import open_bench
from analyzer.build.cargo import RUST
from analyzer.build.engine import engine_path
from analyzer.build.modules import module_wasm
from analyzer.environment import host_facts, package_versions
from analyzer.errors import SweepError
from analyzer.metrics.families import FAMILIES
from analyzer.metrics.parse import carries
from analyzer.metrics.settle import settle
from analyzer.plan import Plan
from analyzer.preflight import check_server
from analyzer.scenarios import LOBBY
from analyzer.stdb.connection import fast_available
from analyzer.swarm.subscribers import Swarm
from analyzer.target import Target
from analyzer.workplace import Workplace, workplace

_BUSY = 0.5
"""Load per core from which times say as much of the neighbours as of the server."""
_GOVERNOR = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
_SPARE_DESCRIPTORS = 64


class State(StrEnum):
    """`note` is worth knowing and stops nothing; `bad` stops a sweep."""

    OK = "ok"
    NOTE = "note"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: State
    text: str


async def examine(target: Target) -> list[Check]:
    """Every check, in the order of a sweep; none of them raises."""
    return [*_machine(), *_installation(), *await _server(target)]


def _machine() -> list[Check]:
    facts = host_facts()
    return [
        Check("machine", State.OK, f"{facts['cpu']}, {facts['cores']} cores, "
              f"{facts['memory_mb']} MB, {facts['system']} {facts['kernel']}"),
        _load(),
        _governor(),
        _descriptors(),
        _clock(),
    ]  # fmt: skip


def _load() -> Check:
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    text = f"{load:.2f} over {cores} cores in the last minute"
    if load > _BUSY * cores:
        text += ": other work runs here, so trust counts and ratios, not times"
        return Check("load", State.NOTE, text)
    return Check("load", State.OK, text)


def _governor() -> Check:
    try:
        governor = _GOVERNOR.read_text(encoding="ascii").strip()
    except OSError:
        return Check("governor", State.NOTE, "unknown, as in most virtual machines")
    if governor == "performance":
        return Check("governor", State.OK, governor)
    text = f"{governor}: the clock follows the load; `performance` gives steadier times"
    return Check("governor", State.NOTE, text)


def _descriptors() -> Check:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard == resource.RLIM_INFINITY:
        return Check("file descriptors", State.OK, "no limit")
    text = f"{soft} (up to {hard}): at most {hard - _SPARE_DESCRIPTORS:,} clients"
    return Check("file descriptors", State.OK, text)


def _clock() -> Check:
    clock = time.get_clock_info("perf_counter")
    steady = clock.monotonic and clock.resolution <= 1e-6
    text = f"{clock.implementation}, {clock.resolution * 1e9:.0f} ns"
    return Check("clock", State.OK if steady else State.NOTE, text)


def _installation() -> list[Check]:
    versions = package_versions()
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    fast = (
        Check("[fast]", State.OK, "picows is installed")
        if fast_available()
        else Check("[fast]", State.NOTE, "not installed: pip install 'stdb-sweep[fast]' halves "
                   "what a subscriber costs this machine")
    )  # fmt: skip
    return [Check("packages", State.OK, named), fast, _engine(), *_modules()]


def _engine() -> Check:
    path = engine_path()
    if path.is_file():
        return Check("embedded engine", State.OK, f"built, {path}")
    tool = next((name for name in ("rustup", "cargo") if shutil.which(name)), None)
    if tool is None:
        text = f"not built, and no Rust here to build it: install rustup, then Rust {RUST}"
        return Check("embedded engine", State.NOTE, f"{text}; or use --server")
    return Check("embedded engine", State.NOTE, "not built yet: run `stdb-sweep engine build`")


def _modules() -> list[Check]:
    try:
        size = module_wasm(LOBBY.module).stat().st_size
    except SweepError as error:
        return [Check("test modules", State.BAD, str(error))]
    return [Check("test modules", State.OK, f"there; the lobby has {size // 1000} kB of WASM")]


async def _server(target: Target) -> list[Check]:
    with tempfile.TemporaryDirectory(prefix="stdb-sweep-") as folder:
        try:
            async with workplace(Path(folder), target, lambda text: None) as at:
                version = f"{at.server.url}, {at.server.kind}, version {at.server.version}"
                return [Check("server", State.OK, version), *await _served(at)]
        except SweepError as error:
            return [Check("server", State.BAD, str(error))]


async def _served(at: Workplace) -> list[Check]:
    wasm = module_wasm(LOBBY.module).read_bytes()
    plan = Plan(scenario=LOBBY.name, arms=("per_sender",), clients=(1,), rows=(1,))
    try:
        await check_server(plan, at, wasm)
        page, absent = await _metrics(at, wasm)
    except SweepError as error:
        return [Check("write", State.BAD, str(error))]
    write = Check("write", State.OK, "one was delivered to one subscriber, and counted")
    if not absent:
        return [write, page, Check("metrics families", State.OK, f"all {len(FAMILIES)} are there")]
    text = f"{', '.join(absent)} absent: what they count is unknown, never zero"
    return [write, page, Check("metrics families", State.NOTE, text)]


async def _metrics(at: Workplace, wasm: bytes) -> tuple[Check, list[str]]:
    """The page as a sweep reads it, and the families that it lacks after a write."""
    arm = LOBBY.arm("per_sender")
    async with (
        at.databases.fresh("doctor", wasm) as database,
        open_bench(at.http, database, arm, 1, seed=LOBBY.seed, owner=at.owner) as bench,
    ):
        # One that goes again: a server counts disconnections from the first on.
        async with Swarm(at.http.base_url, database, arm.queries) as leaving:
            await leaving.grow_to(1)
        await bench.swarm.grow_to(1)
        before = await bench.scrape()
        run, _ = await bench.write(1, rate=None)
        window = await settle(bench.scrape, before, database=database, reducer=arm.write.reducer,
                              acknowledged=run.acknowledged)  # fmt: skip
        began = time.perf_counter()
        size = len(await at.http.metrics())
        took_ms = (time.perf_counter() - began) * 1e3
    absent = [family.name for family in FAMILIES if not carries(window.after, family)]
    return Check("metrics page", State.OK, f"{size // 1000} kB in {took_ms:.0f} ms"), absent
