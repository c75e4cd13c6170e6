"""`stdb-sweep report` on a run of 10,000 windows, from disk to the text. Run by `make bench`."""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from analyzer.plan import Plan
from analyzer.report.markdown import render_markdown
from analyzer.results import analyse_run
from analyzer.store import RunWriter, load_run
from tests.factory import steps, windows

PLAN = Plan(
    scenario="lobby",
    arms=("per_sender", "anonymous"),
    clients=(0, 10, 20, 35, 50, 75, 100, 150, 200, 300),
    rows=(8, 16, 32, 64, 128, 256, 400, 512, 750, 1000),
    repeats=5,
    windows=10,
)


def write_run(path: Path) -> None:
    """A run of `PLAN`, its times with 5 % noise."""
    rng = random.Random(1)
    writer = RunWriter.create(path, {"plan": PLAN.to_dict(), "seed": PLAN.seed})
    for step in steps(PLAN):
        noise = rng.gauss(1, 0.05)
        found = [
            replace(o, reducer_ms=o.reducer_ms * noise, update_ms=o.update_ms * noise)
            for o in windows(step)
        ]
        writer.append(found, [], step)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        write_run(path)
        wall, cpu = time.perf_counter(), time.process_time()
        run = load_run(path)
        loaded = time.perf_counter()
        analysis, content = analyse_run(run)
        render_markdown(content)
        analysis.to_dict()
        ended = time.perf_counter()
        print(
            f"report of {len(run.observations):,} windows: {ended - wall:.2f} s "
            f"({time.process_time() - cpu:.2f} s of CPU), {loaded - wall:.2f} s of it to load them"
        )


if __name__ == "__main__":
    main()
