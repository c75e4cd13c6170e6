"""The read-set merge as a cost of its own, its column read from the exact laws of counts.

To commit, the engine takes every refreshed view call out of the read sets and walks all of them
to do so: view calls refreshed x keys held, in one write. The calls are counted; the keys are the
index seeks that the views make, the writer's own left out. So one coefficient, the time of one
comparison, speaks of every design: S x S(4G + 1) in the lobby, 2S x 2S in the tournament.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analyzer.model.axis import RowAxis
from analyzer.model.cells import Floats
from analyzer.model.laws import Law
from analyzer.model.terms import CLIENT, CLIENT_ROW, FIXED, Form, Term


def merge_form(calls: Law, seeks: Law, axis: RowAxis) -> Form | None:
    """Return a + b S + c S R + d (calls x keys), or None when the laws give it no column.

    That is: when one of the two is not exact, or the calls do not grow with S (the merge is then
    a cost per row like any other).
    """
    if not (calls.exact and seeks.exact and (calls.coefficients or {}).get("S")):
        return None
    calls, keys = _of_views(calls), _of_views(seeks)
    compare = Term(
        "compare",
        "ns per key compared",
        f"{calls.formula(axis)}*{keys.formula(axis)}",
        1e6,
        lambda s, r: _count(calls, s, r) * _count(keys, s, r),
    )
    return Form("merge", (FIXED, CLIENT, CLIENT_ROW, compare))


def _of_views(law: Law) -> Law:
    """Leave out what the write does by itself."""
    of_views = {name: count for name, count in (law.coefficients or {}).items() if name != "1"}
    return replace(law, coefficients=of_views)


def _count(law: Law, s: Floats, r: Floats) -> Floats:
    """The law for many cells at once."""
    columns = {"S": s, "R": r, "SR": s * r, "P": 1.0 * (s > 0), "PR": r * (s > 0)}
    total = np.zeros_like(s)
    for name, count in (law.coefficients or {}).items():
        total = total + count * columns[name]
    return total
