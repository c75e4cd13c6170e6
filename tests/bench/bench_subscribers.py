"""Subscribers inside the engine against WebSocket clients: lock times of one run, side by side,
and how long thousands inside take to connect.

    python tests/bench/bench_subscribers.py [--repeats 5] [--inside 2000]

The two kinds take turns, each repeat in fresh databases. A cell's time is that of its quickest
window: what else runs on the machine only adds time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from analyzer.environment import host_facts
from analyzer.plan import SUBSCRIBERS
from analyzer.records import Cell
from analyzer.store import Run, load_run

COMMAND = Path(sys.executable).with_name("stdb-sweep")
CELLS = ("--clients", "100", "--rooms", "8,64", "--arms", "per_sender,anonymous")
PARTS = ("reducer_ms", "update_ms", "write_ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--inside", type=int, default=2000, help="subscribers to connect")
    options = parser.parse_args()
    facts = host_facts()
    print(f"{facts['cpu']}, {facts['cores']} cores, Python {facts['python']}")
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), options.repeats)
        connect(Path(folder), options.inside)


def compare(folder: Path, repeats: int) -> None:
    times: dict[tuple[Cell, str, str], list[float]] = defaultdict(list)
    for repeat in range(repeats):
        for kind in SUBSCRIBERS:
            run = measured(folder / f"{kind}-{repeat}", *CELLS, "--seed", repeat, kind=kind)
            for record in run.observations:
                for part in PARTS:
                    times[record.cell, kind, part].append(getattr(record, part))
    print(f"lock time, ms per write, quickest of {repeats} repeats: WebSocket / inside = ratio")
    for cell in sorted({cell for cell, _, _ in times if cell.clients}):
        shown = []
        for part in PARTS:
            over_sockets, inside = (min(times[cell, kind, part]) for kind in SUBSCRIBERS)
            ratio = over_sockets / inside
            shown.append(f"{part[:-3]} {over_sockets:.3f} / {inside:.3f} = {ratio:.2f}")
        print(f"  {cell}: {', '.join(shown)}")


def connect(folder: Path, clients: int) -> None:
    flags = ("--clients", clients, "--rooms", 8, "--windows", 1, "--arms", "per_sender,anonymous")
    run = measured(folder / "connect", *flags, kind="engine")
    for record in run.observations:
        if record.clients and not record.control:
            print(f"{record.cell}: {clients:,} subscribers inside connected in "
                  f"{record.connect_s:.1f} s, a write costs {record.write_ms:,.1f} ms")  # fmt: skip


def measured(out: Path, *flags: object, kind: str) -> Run:
    command = [COMMAND, *flags, "--repeats", 1, "--subscribers", kind, "--out", out]
    done = subprocess.run(
        list(map(str, command)), cwd=out.parent, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stderr)
    return load_run(out)


if __name__ == "__main__":
    main()
