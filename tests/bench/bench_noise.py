"""Which statistic over the windows of a repeat foretells best? The evidence of docs/model.md.

`bench_noise.py RUN` on a run with several windows and repeats; without one, simulated windows
under interference that only adds time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

STATISTICS: dict[str, Callable[[np.ndarray], float]] = {
    "mean": lambda x: float(x.mean()),
    "median": lambda x: float(np.median(x)),
    "quarter": lambda x: float(np.quantile(x, 0.25)),
    "least": lambda x: float(x.min()),
}


def measured(path: Path) -> list[np.ndarray]:
    """One array a cell, shape (repeats, windows), of write costs in ms."""
    from analyzer.store import load_run

    cells: dict[object, dict[int, list[float]]] = {}
    for record in load_run(path).observations:
        if not record.control and record.verdict == "ok" and record.write_ms:
            cells.setdefault(record.cell, {}).setdefault(record.repeat, []).append(record.write_ms)
    return [np.array(list(repeats.values())) for repeats in cells.values()]


def simulated(cells: int = 200, repeats: int = 5, windows: int = 8) -> list[np.ndarray]:
    """Cost 1; a repeat is up to 30 % slower, and a third of the windows by half and more."""
    rng = np.random.default_rng(1)
    shape = (cells, repeats, windows)
    slower = 1 + 0.3 * rng.random((cells, repeats, 1))
    bursts = rng.exponential(0.5, shape) * (rng.random(shape) < 1 / 3)
    return list(slower * (1 + bursts) * (1 + 0.02 * rng.random(shape)))


def report(cells: list[np.ndarray], truth: float | None) -> None:
    print(f"{len(cells)} cells, {cells[0].shape[0]} repeats of {cells[0].shape[1]} windows")
    print("statistic  spread of repeats  error for the mean of another repeat  above the truth")
    for name, statistic in STATISTICS.items():
        spreads, errors, found = [], [], []
        for cell in cells:
            values = np.array([statistic(windows) for windows in cell])
            means = cell.mean(axis=1)
            found.append(values.mean())
            spreads.append(np.log(values).var(ddof=1))
            for at in range(len(cell)):
                others = np.delete(values, at).mean()
                errors.append(np.log(means[at] / others) ** 2)
        above = "" if truth is None else f"{100 * (np.mean(found) / truth - 1):.0f} %"
        print(f"{name:9}  {100 * np.sqrt(np.mean(spreads)):>15.1f} %  "
              f"{100 * np.sqrt(np.mean(errors)):>34.1f} %  {above:>15}")  # fmt: skip


def main() -> None:
    if len(sys.argv) > 1:
        report(measured(Path(sys.argv[1])), None)
    else:
        report(simulated(), 1.0)


if __name__ == "__main__":
    main()
