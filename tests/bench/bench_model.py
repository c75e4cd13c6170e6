"""10,000 bootstrap refits of 100 cells, and a whole analysis. Run by `make bench`."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from analyzer.model.analysis import analyse
from analyzer.model.bootstrap import bootstrap
from analyzer.model.cells import Samples
from analyzer.model.fit import fit_samples
from analyzer.model.terms import FORMS

CLIENTS = (0, 10, 25, 50, 75, 100, 150, 200, 300, 400)
ROWS = (8, 16, 32, 64, 128, 256, 400, 512, 750, 1000)
COEFFICIENTS = {"bilinear": (0.03, 0.02, 0.005), "quadratic": (0.03, 0.02, 0.005, 0.0, 2.5e-5)}


def planted(form: str) -> Samples:
    """100 cells of 3 repeats; in the quadratic one coefficient is at its bound."""
    clients, rows = (axis.ravel().astype(float) for axis in np.meshgrid(CLIENTS, ROWS))
    costs = FORMS[form].design(clients, rows) @ np.array(COEFFICIENTS[form])
    noise = np.random.default_rng(1).gamma(100, 0.01, size=(len(costs), 3))
    return Samples(clients, rows, tuple(costs[:, None] * noise), (np.arange(3),) * len(costs))


def frame(data: Samples) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"scenario": "lobby", "arm": "per_sender", "clients": int(s), "rows": int(r),
             "repeat": repeat, "write_ms": ms, "index_seeks": s * (4 * r + 1) + 1,
             "view_calls": s, "rows_scanned": 4 * s * r + 1}
            for s, r, values in zip(data.clients, data.rows, data.repeats, strict=True)
            for repeat, ms in enumerate(values)
        ]
    )  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    """The best of three."""
    times = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    for form in COEFFICIENTS:
        fit = fit_samples(planted(form), FORMS[form])
        took = seconds(lambda fit=fit: bootstrap(fit, draws=10_000))
        print(f"10,000 bootstrap refits of {fit.n} cells, {form}: {took:.2f} s")
    cells = frame(planted("quadratic"))
    print(f"analysis of 100 cells, all forms: {seconds(lambda: analyse(cells)):.1f} s")


if __name__ == "__main__":
    main()
