"""The commit and all the rest fitted apart, where the server's own split tells them apart.

The read-set merge is a small share of the cost up to 100 clients and most of it beyond. In the
sum its square is hidden by what the views cost; in the commit alone it is plain (docs/model.md).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analyzer.errors import FitError
from analyzer.model.by_rows import MOST_ROWS, at_rows
from analyzer.model.cells import Floats, Samples
from analyzer.model.fit import Fit, fit_samples
from analyzer.model.terms import CLIENT, CLIENT_ROW, FIXED, ROW, Form, Term

NAME = "by parts"
GROWTH = 0.1
"""Power of S by which one key compared takes longer: read sets outgrow one cache after another.
Fitted to whole runs it is 0.05 to 0.15, where they fit the caches (docs/model.md)."""
AT = 100.0
"""Clients at which the merge's coefficients are given."""


def fit_by_parts(data: Samples) -> Fit:
    """Fit the commit and the rest of every cell, each by `fit_samples`; the cost is their sum.

    The rest (reducer, views, update) is a + b S + c S R, the article's form. The commit is
    d [S>0] R + e S + f S R + g_R S^2 (S/100)^`GROWTH`: what a write and what a client costs it,
    and the merge, of its own at each measured R and interpolated between them.

    Raises
    ------
    FitError
        When the commit was not measured by itself, there are more than `MOST_ROWS` row counts, or
        the cells are too few or too much alike for the terms of a part.
    """
    counts = np.unique(data.rows)
    if len(counts) > MOST_ROWS:
        raise FitError(f"{len(counts)} row counts: at most {MOST_ROWS} have their own merge")
    per_row = (CLIENT_ROW,) if len(counts) > 1 else ()
    # Without clients a commit costs something too: seen only where S = 0 was measured.
    alone = (FIXED,) if (data.clients == 0).any() else ()
    ofcommit = [_of_commit(term) for term in (*alone, ROW, CLIENT, *per_row)]
    merge = [_merge(counts, at) for at in range(len(counts))]
    forms = Form("rest", (FIXED, CLIENT, *per_row)), Form("commit", (*ofcommit, *merge))
    parts = tuple(fit_samples(part, form) for part, form in zip(data.parts(), forms, strict=True))
    terms = tuple(term for form in forms for term in form.terms)
    coefficients = tuple(value for part in parts for value in part.coefficients)
    return Fit(Form(NAME, terms), coefficients, data, parts)


def _of_commit(term: Term) -> Term:
    return replace(term, name=f"commit {term.name}", unit=f"{term.unit}, commit")


def _merge(counts: Floats, at: int) -> Term:
    rows = f"{counts[at]:,.0f} {{row}}s"
    return Term(
        f"square at {counts[at]:.0f}",
        f"ns per client squared at {AT:.0f} clients and {rows}, commit",
        f"S^2*(S/{AT:.0f})^{GROWTH}*[{{R}}={counts[at]:.0f}]",
        1e6,
        lambda s, r: s * s * (s / AT) ** GROWTH * at_rows(r, counts, at),
    )
