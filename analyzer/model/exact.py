"""Linear equations in fractions: no rounding, so a solution is a proof."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Matrix = Sequence[Sequence[Fraction]]


def rank(matrix: Matrix) -> int:
    """Rank by exact elimination."""
    return len(_reduced(matrix)[1])


def solve(matrix: Matrix, values: Sequence[Fraction]) -> list[Fraction] | None:
    """Solve `matrix @ x = values`; None unless exactly one x satisfies every equation."""
    width = len(matrix[0])
    joined = [[*row, value] for row, value in zip(matrix, values, strict=True)]
    rows, pivots = _reduced(joined)
    if pivots != list(range(width)):
        return None
    return [row[width] for row in rows[:width]]


def _reduced(matrix: Matrix) -> tuple[list[list[Fraction]], list[int]]:
    """Reduced row echelon form and its pivot columns."""
    rows = [list(row) for row in dict.fromkeys(map(tuple, matrix))]
    pivots: list[int] = []
    for column in range(len(rows[0])):
        done = len(pivots)
        at = next((i for i in range(done, len(rows)) if rows[i][column]), None)
        if at is None:
            continue
        rows[done], rows[at] = rows[at], rows[done]
        lead = rows[done][column]
        rows[done] = [item / lead for item in rows[done]]
        for i, row in enumerate(rows):
            factor = row[column]
            if i != done and factor:
                rows[i] = [a - factor * b for a, b in zip(row, rows[done], strict=True)]
        pivots.append(column)
    return rows, pivots
