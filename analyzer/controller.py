"""The sweep controller: walks the plan and leaves a run directory."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

from analyzer.bench import open_bench
from analyzer.build.modules import module_wasm
from analyzer.databases import Databases, owner_token
from analyzer.environment import git_state, host_facts, package_versions, sitting
from analyzer.errors import RunError, UsageError
from analyzer.measure import Measured, measure
from analyzer.plan import Block, Plan, Step
from analyzer.preflight import check_machine, check_server
from analyzer.stdb.http import StdbHttp
from analyzer.store import Run, RunWriter, find_run, load_run, new_run_path
from analyzer.target import Server, Target

_EARLY_FILES = {"server.log", "databases.txt"}
"""What a run that failed before its first cell may have left in its folder."""


class Progress(Protocol):
    """Told what happens; draws what it likes."""

    def begin(self, run: Path, steps: list[Step], finished: int) -> None: ...

    def step(self, step: Step) -> None: ...

    def connected(self, clients: int, of: int) -> None: ...

    def done(self, step: Step, measured: Measured) -> None: ...

    def end(self) -> None: ...


async def sweep(
    plan: Plan,
    target: Target,
    *,
    out: Path | None = None,
    root: Path = Path("runs"),
    fast: bool = False,
    analysis: dict[str, Any] | None = None,
    sweep_file: dict[str, Any] | None = None,
    progress: Progress,
) -> Run:
    """Measure every cell of `plan` on `target`; goes on where an unfinished equal run stopped.

    `analysis` and `sweep_file`, what the user asked for and the file it stands in, are kept in
    the manifest.
    Raises SweepError of the fitting kind; what was finished by then stays in the run directory.
    """
    check_machine(plan)
    wasm = _wasm(plan)
    path, earlier = _place(plan, out, root)
    try:
        async with (
            target.open(path / "server.log") as server,
            StdbHttp(server.url, token=(owner := await owner_token(server))) as http,
        ):
            databases = Databases(http, path / "databases.txt")
            await databases.clear_leftovers()
            if wasm is not None:
                await check_server(plan, http, databases, wasm, owner)
            manifest = _manifest(plan, wasm, server)
            manifest |= {"analysis": analysis or {}, "sweep_file": sweep_file}
            if earlier:
                writer = RunWriter.resume(earlier, manifest)
            else:
                writer = RunWriter.create(path, manifest)
            session = _Session(plan, http, owner, databases, wasm, writer, fast, progress)
            await session.run(earlier.finished if earlier else set())
    finally:
        _tidy(path)
    return load_run(path)


class _Session:
    """One sitting over a plan."""

    def __init__(
        self,
        plan: Plan,
        http: StdbHttp,
        owner: str,
        databases: Databases,
        wasm: bytes | None,
        writer: RunWriter,
        fast: bool,
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._http = http
        self._owner = owner
        self._databases = databases
        self._wasm = wasm
        self._writer = writer
        self._fast = fast
        self._progress = progress

    async def run(self, finished: set[Any]) -> None:
        blocks = [
            (block, [step for step in block.steps() if step.key not in finished])
            for block in self._plan.blocks()
        ]
        left = [step for _, steps in blocks for step in steps]
        self._progress.begin(self._writer.path, left, len(finished))
        try:
            for block, steps in blocks:
                if steps:
                    await self._block(block, steps)
        finally:
            self._progress.end()

    async def _block(self, block: Block, steps: list[Step]) -> None:
        """One fresh database; subscribers only go up in it, so no ghost is ever left behind."""
        async with (
            self._database(block) as database,
            open_bench(
                self._http,
                database,
                block.arm,
                block.rows,
                seed=self._plan.definition.seed,
                owner=self._owner,
                protocol=self._plan.protocol,
                fast=self._fast,
                progress=self._progress.connected,
            ) as bench,
        ):
            for step in steps:
                self._progress.step(step)
                measured = await measure(step, bench)
                self._writer.append(measured.observations, measured.scrapes, step)
                self._progress.done(step, measured)

    @contextlib.asynccontextmanager
    async def _database(self, block: Block) -> AsyncIterator[str]:
        """The identity of a fresh database, or of the one that is to be measured as it is."""
        if self._wasm is None:
            yield await self._http.identity(self._plan.definition.database)
            return
        label = f"{block.arm_name}-{block.rows}"
        async with self._databases.fresh(label, self._wasm) as database:
            yield database


def _wasm(plan: Plan) -> bytes | None:
    """The module to publish; None where a database that exists is measured."""
    definition = plan.definition
    if definition.database:
        return None
    path = Path(definition.module) if plan.own else module_wasm(definition.module)
    try:
        wasm = path.read_bytes()
    except OSError as error:
        raise UsageError(f"--module {path}: {error.strerror}") from None
    if not wasm.startswith(b"\0asm"):
        raise UsageError(f"--module {path}: it is no WASM file: give the .wasm that a build made")
    return wasm


def _place(plan: Plan, out: Path | None, root: Path) -> tuple[Path, Run | None]:
    """The folder the run goes to, and the unfinished run that lies there."""
    if out is None:
        if earlier := find_run(plan, root):
            return earlier.path, earlier
        out = new_run_path(root, plan.scenario)
    if not (out / "manifest.json").is_file():
        try:
            out.mkdir(parents=True, exist_ok=True)
            strangers = [p.name for p in out.iterdir() if p.name not in _EARLY_FILES]
        except OSError as error:
            raise RunError(f"cannot write to {out}: {error.strerror}") from None
        if strangers:
            raise RunError(f"{out} holds other things ({strangers[0]}): use another --out")
        return out, None
    earlier = load_run(out)
    if earlier.manifest["plan"] == plan.to_dict() and earlier.complete:
        raise RunError(
            f"{out} is complete: `stdb-sweep report {out}` prints it; use another --out to measure"
        )
    return out, earlier


def _tidy(path: Path) -> None:
    """No empty log, and no folder of a run that never began and has nothing to tell."""
    log = path / "server.log"
    if log.is_file() and not log.stat().st_size:
        log.unlink()
    if not any(path.iterdir()):
        path.rmdir()


def _manifest(plan: Plan, wasm: bytes | None, server: Server) -> dict[str, Any]:
    return {
        "argv": ["stdb-sweep", *sys.argv[1:]],
        "plan": plan.to_dict(),
        "seed": plan.seed,
        "engine": {"name": f"SpacetimeDB ({server.kind})", "version": server.version},
        "module_sha256": hashlib.sha256(wasm).hexdigest() if wasm else None,
        "protocol": plan.protocol,
        "sittings": [sitting()],
        "host": host_facts(),
        "packages": package_versions(),
        "git": git_state(),
    }
