"""The sweep controller: walks the plan and leaves a run directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analyzer.build.modules import module_wasm
from analyzer.build.typescript import module_js
from analyzer.databases import Databases
from analyzer.environment import provenance
from analyzer.errors import RunError
from analyzer.folder import claim, held, new_run_path, writing
from analyzer.measure import Bench, Measured, measure
from analyzer.plan import Block, Plan, Step
from analyzer.preflight import check_machine, check_server
from analyzer.stdb.http import StdbHttp
from analyzer.store import Run, RunWriter, find_run, load_run
from analyzer.swarm.subscribers import Swarm
from analyzer.swarm.writer import Writer
from analyzer.target import Server, Target
from analyzer.workplace import workplace


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
    build = module_js if plan.language == "typescript" else module_wasm
    program = build(plan.definition.module).read_bytes()
    target, progress = target or Target(), progress or Progress()
    path = _place(plan, Path(out) if out is not None else None, Path(root))
    with held(path):
        earlier = _earlier(plan, path)
        async with workplace(path, target, progress.note) as at:
            await check_server(plan, at.http, at.databases, program)
            manifest = _manifest(plan, program, at.server, analysis or {})
            if earlier:
                writer = RunWriter.resume(earlier, manifest)
            else:
                writer = RunWriter.create(path, manifest)
            session = _Session(plan, at.http, at.databases, program, writer, fast, progress)
            await session.run(earlier.finished if earlier else set())
        return load_run(path)


class _Session:
    """One sitting over a plan."""

    def __init__(
        self,
        plan: Plan,
        http: StdbHttp,
        databases: Databases,
        program: bytes,
        writer: RunWriter,
        fast: bool,
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._http = http
        self._databases = databases
        self._program = program
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
        async with self._databases.fresh(label, self._program, self._plan.host_type) as database:
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
    if not claim(path):
        return None
    earlier = load_run(path)
    if earlier.plan == plan and earlier.complete:
        raise RunError(
            f"{path} is complete: `stdb-sweep report {path}` prints it; "
            "use another --out to measure"
        )
    return earlier


def _manifest(
    plan: Plan, program: bytes, server: Server, analysis: dict[str, Any]
) -> dict[str, Any]:
    return {
        "plan": plan.to_dict(),
        "seed": plan.seed,
        "protocol": plan.protocol,
        "analysis": analysis,
        **provenance(server, program),
    }
