"""The terms of the cost model and the forms made of them; docs/model.md says why these.

A form is a tuple of terms. Its cost is the sum of coefficient times column, every coefficient at
or above 0, so a new form is one line in `FORMS`.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analyzer.model.axis import RowAxis
from analyzer.model.cells import Floats

LETTERS = string.ascii_lowercase
"""Of the coefficients of a form, in the order of its terms."""

Column = Callable[[Floats, Floats], Floats]
"""(clients, rows) of every cell -> one column of the design matrix."""


@dataclass(frozen=True, slots=True)
class Term:
    """One physical cost.

    A coefficient is kept in ms and shown times `scale`, in `unit`; `{row}` and `{R}` stand for
    the scenario's own noun and symbol.
    """

    name: str
    unit: str
    symbol: str
    scale: float
    column: Column

    def unit_for(self, axis: RowAxis) -> str:
        """Return the unit with the scenario's noun: `us per client and room`."""
        return self.unit.format(row=axis.noun)

    def symbol_for(self, axis: RowAxis) -> str:
        """Return the column as written in a formula: `S*G`."""
        return self.symbol.format(R=axis.symbol)


FIXED = Term("fixed", "ms", "1", 1.0, lambda s, r: np.ones_like(s))
CLIENT = Term("client", "us per client", "S", 1e3, lambda s, r: s)
# An anonymous view is built once for everybody, and not at all while nobody subscribes.
ROW = Term("row", "us per {row}", "{R}", 1e3, lambda s, r: r * (s > 0))
CLIENT_ROW = Term("client_row", "us per client and {row}", "S*{R}", 1e3, lambda s, r: s * r)
# The engine takes each refreshed instance out of the read sets by walking those of all others.
SQUARE = Term("square", "ns per client squared", "S^2", 1e6, lambda s, r: s * s)
SQUARE_ROW = Term(
    "square_row", "ns per client squared and {row}", "S^2*{R}", 1e6, lambda s, r: s * s * r
)


@dataclass(frozen=True, slots=True)
class Form:
    """A named sum of terms. `shape` holds the numbers inside its columns that were fitted too."""

    name: str
    terms: tuple[Term, ...]
    shape: tuple[float, ...] = ()

    @property
    def squares(self) -> bool:
        """Whether it grows with the square of S, as a read-set merge does."""
        return any(term.name.startswith(SQUARE.name) for term in self.terms)

    @property
    def parameters(self) -> int:
        """How many numbers a fit of this form finds."""
        return len(self.terms) + len(self.shape)

    def design(self, clients: Floats, rows: Floats) -> Floats:
        """Matrix of columns, one row a cell; `clients` and `rows` have the same length."""
        return np.column_stack([term.column(clients, rows) for term in self.terms])

    def formula(self, axis: RowAxis) -> str:
        """Return the form in letters: `a + b*S + c*S*G`."""
        letters = (
            letter if term is FIXED else f"{letter}*{term.symbol_for(axis)}"
            for letter, term in zip(LETTERS, self.terms, strict=False)
        )
        return " + ".join(letters)


FORMS = {
    form.name: form
    for form in (
        Form("constant", (FIXED,)),
        Form("linear", (FIXED, CLIENT)),
        Form("rows", (FIXED, ROW)),
        Form("linear+rows", (FIXED, CLIENT, ROW)),
        Form("bilinear", (FIXED, CLIENT, CLIENT_ROW)),
        Form("square", (FIXED, CLIENT, SQUARE)),
        Form("quadratic", (FIXED, CLIENT, CLIENT_ROW, SQUARE, SQUARE_ROW)),
    )
}
