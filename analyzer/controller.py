"""The sweep controller: walks the plan and leaves a run directory."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from analyzer.bench import open_bench
from analyzer.build.modules import module_wasm
from analyzer.build.typescript import module_js
from analyzer.environment import provenance
from analyzer.errors import RunError, UsageError
from analyzer.folder import claim, held, new_run_path, writing
from analyzer.measure import Measured, measure
from analyzer.plan import Block, Plan, Step
from analyzer.preflight import check_machine, check_server
from analyzer.store import Run, RunWriter, check_agrees, find_run, load_run
from analyzer.target import Server, Target
from analyzer.until import suffices
from analyzer.workplace import Workplace, workplace

DATABASES_A_SERVER = 12


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
    sweep_file: dict[str, Any] | None = None,
    verifies: Run | None = None,
    progress: Progress | None = None,
) -> Run:
    """Measure every cell of `plan` on `target`; goes on where an unfinished equal run stopped.

    Without a target it starts the embedded engine; without `out` the run goes to a new folder
    under `root`. `fast` takes picows for the subscribers. `analysis` and `sweep_file`, what the
    user asked for and the file it stands in, are kept in the manifest. `verifies` is the run whose
    ceilings this one measures: it is named in the manifest, and engine and module must be its own.

    Raises SweepError of the fitting kind; what was finished by then stays in the run directory.
    """
    target, progress = target or Target(), progress or Progress()
    if plan.subscribers == "engine" and not target.is_embedded:
        raise UsageError(
            "--subscribers engine needs the embedded engine: leave out --server and --server-bin"
        )
    check_machine(plan)
    program = _program(plan)
    path = _place(plan, Path(out) if out is not None else None, Path(root))
    with held(path):
        earlier = _earlier(plan, path)
        finished = earlier.finished if earlier else set()
        left = _left(plan, finished)
        writer: RunWriter | None = None
        try:
            for part in _parts(left, target):
                async with workplace(path, target, progress.note) as at:
                    if writer is None:
                        asked = {"analysis": analysis or {}, "sweep_file": sweep_file}
                        writer = await _opened(plan, program, path, earlier, at, asked, verifies)
                        progress.begin(path, [s for _, steps in left for s in steps], len(finished))
                    session = _Session(plan, at, program, writer, fast, progress)
                    for block, steps in part:
                        if not session.enough(block):
                            await session.measure(block, steps)
        finally:
            progress.end()
        return load_run(path)


async def _opened(
    plan: Plan,
    program: bytes | None,
    path: Path,
    earlier: Run | None,
    at: Workplace,
    asked: dict[str, Any],
    verifies: Run | None,
) -> RunWriter:
    """The run directory, new or gone on with, once the server has passed the preflight."""
    if program is not None:
        await check_server(plan, at, program)
    manifest = _manifest(plan, program, at.server) | asked
    if verifies:
        check_agrees(verifies, manifest, ("engine", "module_sha256"))
        manifest["verifies"] = verifies.path.resolve().name
    return RunWriter.resume(earlier, manifest) if earlier else RunWriter.create(path, manifest)


def _left(plan: Plan, finished: set[Any]) -> list[tuple[Block, list[Step]]]:
    """What is to be measured yet, by database."""
    blocks = (
        (block, [step for step in block.steps() if step.key not in finished])
        for block in plan.blocks()
    )
    return [(block, steps) for block, steps in blocks if steps]


def _parts(
    left: list[tuple[Block, list[Step]]], target: Target
) -> Iterator[list[tuple[Block, list[Step]]]]:
    """What each server gets, one at least: the metrics page of a server keeps every database it
    has had, so that one of our own is replaced before that page is long."""
    count = max(len(left), 1)
    most = DATABASES_A_SERVER if target.is_own else count
    for at in range(0, count, most):
        yield left[at : at + most]


class _Session:
    """One server's share of a plan."""

    def __init__(
        self,
        plan: Plan,
        at: Workplace,
        program: bytes | None,
        writer: RunWriter,
        fast: bool,
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._at = at
        self._program = program
        self._writer = writer
        self._fast = fast
        self._progress = progress
        self._told = False

    def enough(self, block: Block) -> bool:
        """Whether the repeats before this one were all that `--until` asked for."""
        if self._plan.until is None or block.control:
            return False
        if not suffices(load_run(self._writer.path), block.repeat):
            return False
        if not self._told:
            self._told = True
            self._progress.note(f"{block.repeat} repeats are enough for --until")
        return True

    async def measure(self, block: Block, steps: list[Step]) -> None:
        """One fresh database; subscribers only go up in it, so no ghost is ever left behind."""
        async with (
            self._database(block) as database,
            open_bench(
                self._at.http,
                database,
                block.arm,
                block.rows,
                seed=self._plan.definition.seed,
                owner=self._at.owner,
                subscribers=self._plan.subscribers,
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
        if self._program is None:
            yield await self._at.http.identity(self._plan.definition.database)
            return
        label = f"{block.arm_name}-{block.rows}"
        async with self._at.databases.fresh(label, self._program, self._plan.host_type) as database:
            yield database


def _program(plan: Plan) -> bytes | None:
    """The module to publish; None where a database that exists is measured."""
    definition = plan.definition
    if definition.database:
        return None
    if not plan.own:
        build = module_js if plan.language == "typescript" else module_wasm
        return build(definition.module).read_bytes()
    path = Path(definition.module)
    try:
        program = path.read_bytes()
    except OSError as error:
        raise UsageError(f"--module {path}: {error.strerror}") from None
    if plan.host_type == "Wasm" and not program.startswith(b"\0asm"):
        raise UsageError(
            f"--module {path}: it is no WASM file: give the .wasm that a build made, or a .js"
        )
    return program


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


def _manifest(plan: Plan, program: bytes | None, server: Server) -> dict[str, Any]:
    return {
        "plan": plan.to_dict(),
        "seed": plan.seed,
        "protocol": plan.protocol,
        **provenance(server, program),
    }
