"""A cost of its own at every measured row count: nothing is assumed of how it depends on rows.

What the merge takes per key is not one number. Measured by the engine's own clock it is about 4 ns
at 8 rooms, 8 at 64 and 13 at 256, from 50 to 400 clients alike (docs/model.md), so one coefficient
for all rows lies between them. In S every row count follows the same law, b S + d S^2.
"""

from __future__ import annotations

import numpy as np

from analyzer.model.cells import Floats, Samples
from analyzer.model.terms import FIXED, Form, Term

MOST_ROWS = 4
"""With more, the non-negative fit would have more than 2^9 sets of terms to try."""


def by_rows_form(data: Samples) -> Form | None:
    """Return a + b_r S + d_r S^2 for the row counts of `data`; None for one, or too many.

    Between two measured row counts b and d are interpolated linearly.
    """
    rows = np.unique(data.rows)
    if not 1 < len(rows) <= MOST_ROWS:
        return None
    terms = [FIXED]
    for at, count in enumerate(rows.astype(int).tolist()):
        here = f"[{{R}}={count}]"
        terms += [
            _term(f"client at {count}", f"us per client at {count:,} {{row}}s", f"S*{here}", 1,
                  rows, at),
            _term(f"square at {count}", f"ns per client squared at {count:,} {{row}}s",
                  f"S^2*{here}", 2, rows, at),
        ]  # fmt: skip
    return Form("by rows", tuple(terms))


def _term(name: str, unit: str, symbol: str, power: int, rows: Floats, at: int) -> Term:
    return Term(name, unit, symbol, 1e3**power, lambda s, r: s**power * at_rows(r, rows, at))


def at_rows(r: Floats, rows: Floats, at: int) -> Floats:
    """1 at the row count `rows[at]` and 0 at the others, straight lines between them."""
    share: Floats = np.interp(r, rows, np.eye(len(rows))[at])
    return share
