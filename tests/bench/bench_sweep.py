"""How much of a sweep is lock time? Wall time of each step against lock time plus connecting.

Run by `make bench` on the default sweep, or on a run that is there: `bench_sweep.py RUN`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

from analyzer.environment import host_facts, package_versions
from analyzer.store import load_run

COMMAND = Path(sys.executable).with_name("stdb-sweep")
ABOVE_MS = 100.0


def steps(run: Path) -> pd.DataFrame:
    """One row per step: seconds of wall, lock (warm-up included) and connecting."""
    loaded = load_run(run)
    rows = []
    groups: dict[tuple[object, ...], list] = {}
    for record in loaded.observations:
        groups.setdefault((record.cell, record.repeat, record.control), []).append(record)
    for (cell, *_), windows in groups.items():
        costs = [w.write_ms or 0.0 for w in windows]
        mean_ms = sum(costs) / len(costs)
        writes = sum(w.writes for w in windows) + loaded.plan.warmup
        rows.append(
            {
                "cell": str(cell),
                "write_ms": mean_ms,
                "wall_s": windows[0].step_s,
                "lock_s": mean_ms * writes / 1e3,
                "connect_s": windows[0].connect_s,
            }
        )
    return pd.DataFrame(rows)


def main() -> None:
    if len(sys.argv) > 1:
        report(Path(sys.argv[1]), None)
        return
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run(
            [COMMAND, "--clients", "10,50,100", "--rooms", "8,64,256,1000", "--out", "run"],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        report(Path(folder) / "run", time.perf_counter() - began)


def report(run: Path, wall_s: float | None) -> None:
    table = steps(run)
    facts, packages = host_facts(), package_versions()
    print(f"{facts['cpu']}, {facts['cores']} cores, Python {facts['python']}, {packages}")
    if wall_s is not None:
        print(f"default sweep: {wall_s:.0f} s wall")
    print(f"all steps: {table['wall_s'].sum():.0f} s, of it lock {table['lock_s'].sum():.0f} s, "
          f"connecting {table['connect_s'].sum():.0f} s")  # fmt: skip
    large = table[table["write_ms"] > ABOVE_MS]
    needed = large["lock_s"].sum() + large["connect_s"].sum()
    if needed:
        print(f"cells above {ABOVE_MS:g} ms: wall over lock plus connecting = "
              f"{large['wall_s'].sum() / needed:.2f}")  # fmt: skip
    print(large.round(3).to_string(index=False))


if __name__ == "__main__":
    main()
