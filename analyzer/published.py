"""The article's own tables, "One write lock" (A. Vasquez, September 2026), refitted.

Nothing is bent to meet the article: where our numbers and its numbers part, the sentences are
computed from its tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.errors import RunError
from analyzer.model.axis import row_axis
from analyzer.model.ceiling import Ceiling, ceiling
from analyzer.model.fit import Fit, design
from analyzer.model.lsq import least_squares
from analyzer.model.model import Model, fit_arm

if TYPE_CHECKING:
    import pandas as pd

PACKAGE = Path(__file__).resolve().parent
TIMES_CHEAPER = 128
"""Anonymous against per-sender lobby in the article's worst cell, S=100 and G=1000."""
ANONYMOUS_CLIENTS = (10, 100)
"""The anonymous table has no client column: it says the same at both of these counts."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A cost the article states as a formula: (clients, rows) -> ms.

    `terms` are its coefficients by the name of the term, in ms.
    """

    text: str
    cost: Callable[[int, int], float]
    terms: dict[str, float]


@dataclass(frozen=True, slots=True)
class Source:
    """One published table and what the article says about it."""

    table: str
    scenario: str
    arm: str
    statement: Statement | None = None


SOURCES = (
    Source("lobby_per_sender", "lobby", "per_sender"),
    Source(
        "lobby_anonymous",
        "lobby",
        "anonymous",
        Statement("1.2 ms + 24 us x G", lambda s, g: 1.2 + 0.024 * g, {"fixed": 1.2, "row": 0.024}),
    ),
    Source(
        "tournament_per_sender",
        "tournament",
        "per_sender",
        Statement(
            "-1.2 ms + S x (0.23 ms + 0.75 us x F)",
            lambda s, f: -1.2 + s * (0.23 + 0.00075 * f),
            {"fixed": -1.2, "client": 0.23, "client_row": 0.00075},
        ),
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """Our fit of one published table, its ceilings at the article's budget, and the differences."""

    source: Source
    model: Model
    ceilings: tuple[Ceiling, ...]
    differences: tuple[str, ...]

    @property
    def fit(self) -> Fit:
        return self.model.choice.best


def published_dir() -> Path:
    """The folder of published tables: beside the package in a checkout, inside it in a wheel."""
    for folder in (PACKAGE.parent / "data" / "published", PACKAGE / "data" / "published"):
        if (folder / "ceilings.csv").is_file():
            return folder
    raise RunError(f"the published tables are not beside {PACKAGE}: reinstall stdb-sweep")


def published_frame(source: Source) -> pd.DataFrame:
    """One published table as a run's frame: a single repeat, counts unknown."""
    import pandas as pd

    table = pd.read_csv(published_dir() / f"{source.table}.csv")
    table = table.rename(columns={"rooms": "rows", "entrants": "rows"})
    if "clients" not in table:
        copies = [table.assign(clients=clients) for clients in ANONYMOUS_CLIENTS]
        table = pd.concat(copies, ignore_index=True)
    unknown = dict.fromkeys(("index_seeks", "view_calls", "rows_scanned"), float("nan"))
    return table.assign(
        scenario=source.scenario, arm=source.arm, repeat=0, verdict="ok", reason="", **unknown
    )


def published_ceilings() -> tuple[float, dict[int, int]]:
    """The article's budget in ms, and its ceilings: rooms -> clients (lobby, per-sender)."""
    import pandas as pd

    table = pd.read_csv(published_dir() / "ceilings.csv")
    return float(table["budget_ms"].iloc[0]), {
        int(rooms): int(clients)
        for rooms, clients in zip(table["rooms"], table["clients"], strict=True)
    }


def refit(source: Source) -> Refit:
    """Fit one published table with the family every sweep is fitted with."""
    frame = published_frame(source)
    model = fit_arm(frame)
    budget, _ = published_ceilings()
    ceilings = tuple(ceiling(model, budget, rows=rows) for rows in model.measured_rows)
    differences = [*_statement_differences(source, frame), *_equal_weights(source, model)]
    if (source.scenario, source.arm) == ("lobby", "per_sender"):
        differences.extend(_ceiling_differences(frame, ceilings))
    return Refit(source, model, ceilings, tuple(differences))


def published_document() -> list[dict[str, Any]]:
    """All refits as strict JSON data."""
    _, article = published_ceilings()
    return [
        {
            "table": found.source.table,
            **found.model.to_dict(),
            "article": found.source.statement and found.source.statement.text,
            "article_ceilings": article if found.source.table == "lobby_per_sender" else None,
            "ceilings": [item.to_dict() for item in found.ceilings],
            "differences": list(found.differences),
        }
        for found in map(refit, SOURCES)
    ]


def _statement_differences(source: Source, frame: pd.DataFrame) -> list[str]:
    if source.statement is None:
        return []
    cost = source.statement.cost
    symbol = row_axis(source.scenario).symbol
    cells = [
        (int(s), int(r), float(ms))
        for s, r, ms in zip(frame["clients"], frame["rows"], frame["write_ms"], strict=True)
    ]
    words = [
        f"the article's formula gives {cost(s, r):.3g} ms at S={s} {symbol}={r}, where its table "
        f"has {ms:g} ms: a cost cannot be negative, so ours has no negative term"
        for s, r, ms in cells
        if cost(s, r) < 0
    ]
    s, r, ms = max(
        (cell for cell in cells if cost(*cell[:2]) >= 0),
        key=lambda cell: abs(cost(*cell[:2]) / cell[2] - 1),
    )
    words.append(
        f"the article's formula is furthest from its own table at S={s} {symbol}={r}: "
        f"{cost(s, r):.3g} ms against {ms:g} ms ({100 * (cost(s, r) / ms - 1):+.0f} %)"
    )
    return words


def _equal_weights(source: Source, model: Model) -> list[str]:
    """The article's form by plain least squares: how much of the difference is the method."""
    stated = stated_fit(source, model)
    if stated is None:
        return []
    plain = least_squares(design(stated.form, stated.data), stated.data.means, np.ones(stated.n))
    values = ", ".join(
        f"{value * term.scale:.3g} {term.unit_for(model.axis)}"
        for term, value in zip(stated.form.terms, plain.coefficients, strict=True)
    )
    return [f"with equal weights and no bound its form gives {values}"]


def stated_fit(source: Source, model: Model) -> Fit | None:
    """Our fit of the form that the article states, whatever form these cells support."""
    terms = source.statement.terms if source.statement else {}
    fits = (candidate.fit for candidate in model.choice.ranked if not candidate.fit.form.shape)
    return next((fit for fit in fits if [t.name for t in fit.form.terms] == list(terms)), None)


def _ceiling_differences(frame: pd.DataFrame, ceilings: tuple[Ceiling, ...]) -> list[str]:
    """Where the article's ceilings part from ours, and from the article's own table."""
    budget, article = published_ceilings()
    words = []
    for ours in ceilings:
        theirs = article.get(ours.rows)
        if theirs is None:
            continue
        cells = _cells_at(frame, ours.rows)
        for s, ms in cells:
            if (s > theirs) == (ms <= budget):
                side = "within" if ms <= budget else "above"
                words.append(
                    f"at {ours.rows} rooms the article allows {theirs} clients, yet its table "
                    f"shows {ms:g} ms at {s}, {side} {budget:g} ms: {theirs} does not follow"
                )
        clients, costs = zip(*cells, strict=True)
        read = (
            f"{np.interp(budget, costs, clients):.1f}"
            if budget <= max(costs)
            else f"more than {max(clients)}"
        )
        words.append(
            f"at {ours.rows} rooms our fit allows {ours.clients}, the article {theirs}, and a "
            f"straight line between the table's own cells {read}"
        )
    return words


def _cells_at(frame: pd.DataFrame, rows: int) -> list[tuple[int, float]]:
    cells = frame[frame["rows"] == rows].sort_values("clients")
    return [(int(s), float(ms)) for s, ms in zip(cells["clients"], cells["write_ms"], strict=True)]
