"""Frames as the store gives them, planted or read from measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from analyzer.model.bootstrap import SEED, bootstrap
from analyzer.model.cells import Samples
from analyzer.model.doubt import doubt_of
from analyzer.model.fit import fit_samples
from analyzer.model.model import Model
from analyzer.model.select import Candidate, Choice
from analyzer.model.terms import FORMS

DATA = Path(__file__).parent / "data"
CLIENTS = (0, 10, 50, 100)
ROOMS = (8, 64, 256, 1000)
ARMS = {
    "active_game_per_sender": "per_sender",
    "active_game_anonymous": "anonymous",
    "listed_query_per_sender": "query_per_sender",
}

Rule = Callable[[int, int], float]


def bilinear(s: int, g: int) -> float:
    """Write cost in ms, near what the embedded engine shows."""
    return 0.025 + 0.03 * s + 0.008 * s * g


def frame(
    cost: Rule = bilinear,
    *,
    arm: str = "per_sender",
    scenario: str = "lobby",
    clients: Iterable[int] = CLIENTS,
    rows: Iterable[int] = ROOMS,
    repeats: int = 3,
    noise: float = 0.0,
    seed: int = 1,
    seeks: Rule = lambda s, g: s * (4 * g + 1) + 1,
    calls: Rule = lambda s, g: s,
    commit: Rule | None = None,
) -> pd.DataFrame:
    """A planted sweep: multiplicative noise of the given relative size.

    `commit` is the part of `cost` that the server's split shows by itself.
    """
    rng = np.random.default_rng(seed)
    shape = 1 / noise**2 if noise else None
    rows = tuple(rows)
    found = []
    for s in clients:
        for r in rows:
            for repeat in range(repeats):
                factor = rng.gamma(shape, 1 / shape) if shape else 1.0
                write = cost(s, r) * factor
                split = {} if commit is None else {"commit_ms": commit(s, r) * factor}
                found.append(
                    split
                    | {
                        "scenario": scenario,
                        "arm": arm,
                        "clients": s,
                        "rows": r,
                        "repeat": repeat,
                        "reducer_ms": 0.9 * write,
                        "update_ms": 0.1 * write,
                        "write_ms": write,
                        "index_seeks": float(seeks(s, r)),
                        "view_calls": float(calls(s, r)),
                        "rows_scanned": float("nan"),
                        "verdict": "ok",
                        "reason": "",
                    }
                )
    return pd.DataFrame(found)


def model_by(form: str, data: Samples, seed: int = SEED) -> Model:
    """The model of one form and no other, with few draws."""
    best = Candidate.of(partial(fit_samples, form=FORMS[form]), data)
    boot = bootstrap(best.fit, draws=400, seed=seed)
    doubt = doubt_of(best.fit, best.rolled())
    return Model("lobby", "per_sender", Choice((best,), ()), boot, doubt)


def reference(name: str) -> pd.DataFrame:
    """Measured cells of one file, one repeat each."""
    found = []
    for line in (DATA / f"{name}.jsonl").read_text().splitlines():
        cell = json.loads(line)
        split = "reducer_ms" in cell
        found.append(
            {
                "scenario": "lobby",
                "arm": ARMS[cell["view"]],
                "clients": cell["S"],
                "rows": cell["G"],
                "repeat": 0,
                "reducer_ms": cell["reducer_ms"] if split else float("nan"),
                "update_ms": cell["update_ms"] if split else float("nan"),
                "write_ms": cell["reducer_ms"] + cell["update_ms"]
                if split
                else cell["reducer_plus_update_ms"],
                "index_seeks": cell["seeks"],
                "view_calls": float("nan"),
                "rows_scanned": float("nan"),
                "verdict": "ok",
                "reason": "",
            }
        )
    return pd.DataFrame(found)
