"""The sweep controller: walks the plan and leaves a run directory."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from analyzer.build.modules import module_sha256, module_wasm
from analyzer.databases import Databases, leftovers, owner_token
from analyzer.environment import git_state, host_facts, package_versions, sitting
from analyzer.errors import RunError
from analyzer.measure import Bench, Measured, measure
from analyzer.plan import Block, Plan, Step
from analyzer.preflight import check_machine, check_server
from analyzer.stdb.http import StdbHttp
from analyzer.store import Run, RunWriter, find_run, held, load_run, new_run_path, writing
from analyzer.swarm.subscribers import Swarm
from analyzer.swarm.writer import Writer
from analyzer.target import Server, Target

JOURNAL = "databases.txt"
_EARLY_FILES = {"server.log", JOURNAL}
"""What a run that failed before its first cell may have left in its folder."""


class Progress:
    """Told what happens; this one keeps it to itself."""

    def begin(self, run: Path, steps: list[Step], finished: int) -> None: ...

    def step(self, step: Step) -> None: ...

    def connected(self, clients: int, of: int) -> None: ...

    def done(self, step: Step, measured: Measured) -> None: ...

    def note(self, text: str) -> None: ...

    def end(self) -> None: ...


async def sweep(
    plan: Plan,
    target: Target | None = None,
    *,
    out: Path | str | None = None,
    root: Path | str = "runs",
    fast: bool = False,
    analysis: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Measure every cell of `plan` on `target`; goes on where an unfinished equal run stopped.

    Without a target it starts the embedded engine; without `out` the run goes to a new folder
    under `root`. `fast` takes picows for the subscribers.

    Raises SweepError of the fitting kind; what was finished by then stays in the run directory.
    """
    check_machine(plan)
    wasm = module_wasm(plan.definition.module).read_bytes()
    target, progress = target or Target(), progress or Progress()
    path = _place(plan, Path(out) if out is not None else None, Path(root))
    with held(path):
        earlier = _earlier(plan, path)
        try:
            async with (
                target.open(path / "server.log") as server,
                StdbHttp(server.url, token=await owner_token(server)) as http,
                _own_databases(server, http, path, progress) as databases,
            ):
                await check_server(plan, http, databases, wasm)
                manifest = _manifest(plan, server, analysis or {})
                if earlier:
                    writer = RunWriter.resume(earlier, manifest)
                else:
                    writer = RunWriter.create(path, manifest)
                session = _Session(plan, http, databases, wasm, writer, fast, progress)
                await session.run(earlier.finished if earlier else set())
        finally:
            _tidy(path)
        return load_run(path)


@contextlib.asynccontextmanager
async def _own_databases(
    server: Server, http: StdbHttp, path: Path, progress: Progress
) -> AsyncIterator[Databases]:
    """The databases of this run; says which are left on a server that outlives the sweep."""
    databases = Databases(http, path / JOURNAL)
    await databases.clear_leftovers()
    try:
        yield databases
    finally:
        if server.kind == "remote" and (left := leftovers(path / JOURNAL)):
            progress.note(
                f"left on {server.url}: {', '.join(left)}; "
                f"the next sweep with --out {path} deletes them"
            )


class _Session:
    """One sitting over a plan."""

    def __init__(
        self,
        plan: Plan,
        http: StdbHttp,
        databases: Databases,
        wasm: bytes,
        writer: RunWriter,
        fast: bool,
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._http = http
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
        label = f"{block.arm_name}-{block.rows}"
        async with self._databases.fresh(label, self._wasm) as database:
            await self._http.call(database, self._plan.definition.seed, [block.rows])
            async with (
                Swarm(
                    self._http.base_url,
                    database,
                    block.arm.queries,
                    protocol=self._plan.protocol,
                    fast=self._fast,
                    progress=self._progress.connected,
                ) as swarm,
                Writer(self._http.base_url, database, protocol=self._plan.protocol) as writer,
            ):
                bench = Bench(self._http, database, swarm, writer, block.rows)
                for step in steps:
                    self._progress.step(step)
                    measured = await measure(step, bench)
                    self._writer.append(measured.observations, measured.scrapes, step)
                    self._progress.done(step, measured)


def _place(plan: Plan, out: Path | None, root: Path) -> Path:
    """The folder the run goes to: the user's, an unfinished run's, or a new one."""
    if out is None:
        earlier = find_run(plan, root)
        return earlier.path if earlier else new_run_path(root, plan.scenario)
    with writing(out):
        out.mkdir(parents=True, exist_ok=True)
    return out


def _earlier(plan: Plan, path: Path) -> Run | None:
    """The unfinished run in the folder. Raises RunError when it holds anything else."""
    if not (path / "manifest.json").is_file():
        strangers = [p.name for p in path.iterdir() if p.name not in _EARLY_FILES]
        if strangers:
            raise RunError(f"{path} holds other things ({strangers[0]}): use another --out")
        return None
    earlier = load_run(path)
    if earlier.plan == plan and earlier.complete:
        raise RunError(
            f"{path} is complete: `stdb-sweep report {path}` prints it; "
            "use another --out to measure"
        )
    return earlier


def _tidy(path: Path) -> None:
    """No empty log, no journal of a run that never began, no folder with nothing to tell."""
    # An error here would hide the one that ended the sweep.
    with contextlib.suppress(OSError):
        log, journal = path / "server.log", path / JOURNAL
        if log.is_file() and not log.stat().st_size:
            log.unlink()
        if not (path / "manifest.json").is_file() and not leftovers(journal):
            journal.unlink(missing_ok=True)
        if not any(path.iterdir()):
            path.rmdir()


def _manifest(plan: Plan, server: Server, analysis: dict[str, Any]) -> dict[str, Any]:
    return {
        "argv": ["stdb-sweep", *sys.argv[1:]],
        "plan": plan.to_dict(),
        "seed": plan.seed,
        "engine": {"name": f"SpacetimeDB ({server.kind})", "version": server.version},
        "module_sha256": module_sha256(plan.definition.module),
        "protocol": plan.protocol,
        "analysis": analysis,
        "sittings": [sitting()],
        "host": host_facts(),
        "packages": package_versions(),
        "git": git_state(),
    }
