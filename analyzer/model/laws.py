"""Exact laws of counts: integer relations that hold in every cell with nothing left over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations
from typing import TYPE_CHECKING

from analyzer.model.axis import RowAxis
from analyzer.model.cells import usable
from analyzer.model.exact import rank, solve
from analyzer.units import counted

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: dict[str, Callable[[int, int], int]] = {
    "1": lambda s, r: 1,
    "S": lambda s, r: s,
    "R": lambda s, r: r,
    "SR": lambda s, r: s * r,
    "P": lambda s, r: int(s > 0),
    "PR": lambda s, r: int(s > 0) * r,
}
"""What a count may be made of; P is 1 as soon as anybody subscribes (an anonymous view)."""


@dataclass(frozen=True, slots=True)
class Point:
    """A count per write in one cell and repeat."""

    clients: int
    rows: int
    value: float


@dataclass(frozen=True, slots=True)
class Law:
    """A polynomial with whole coefficients, or the nearest one when none is exact.

    `coefficients` is None when nothing was counted. `exact` says that the law was proved in all
    of the `cells`, pairs of clients and rows; otherwise `residual` is the largest absolute
    residual over them, and `worst` the one where it stands.
    """

    coefficients: dict[str, int] | None
    cells: tuple[tuple[int, int], ...]
    exact: bool
    residual: float
    worst: tuple[int, int] | None
    notes: tuple[str, ...]

    def value(self, clients: int, rows: int) -> int:
        """Count per write that the law states for a cell. Raises ValueError without a law."""
        if self.coefficients is None:
            raise ValueError("nothing was counted, so there is no law")
        return _evaluate(self.coefficients, clients, rows)

    def formula(self, axis: RowAxis) -> str:
        """Return the law in letters: `S*(4*G+1)+1`, or `4*G+1 (S > 0), 1 (S = 0)`."""
        if self.coefficients is None:
            return "not counted"
        c = {name: self.coefficients.get(name, 0) for name in COLUMNS}
        nobody = _written(c["1"], 0, c["R"], 0, axis.symbol)
        if not c["P"] and not c["PR"]:
            return _written(c["1"], c["S"], c["R"], c["SR"], axis.symbol)
        anybody = _written(c["1"] + c["P"], c["S"], c["R"] + c["PR"], c["SR"], axis.symbol)
        return f"{anybody} (S > 0), {nobody} (S = 0)"


def points(frame: pd.DataFrame, column: str) -> list[Point]:
    """Gather one count of one arm: unknown values and void cells take no part."""
    known = usable(frame, column)
    return [
        Point(int(s), int(r), float(value))
        for s, r, value in zip(known["clients"], known["rows"], known[column], strict=True)
    ]


def law_of(frame: pd.DataFrame, column: str, axis: RowAxis) -> Law:
    """Find the law of one count of one arm, or say that its server does not count it."""
    observed = points(frame, column)
    if not observed and (frame["verdict"] == "ok").any():
        return Law(None, (), False, 0.0, None, ("not counted by this server",))
    return find_law(observed, axis)


def find_law(observed: Sequence[Point], axis: RowAxis) -> Law:
    """Find the simplest law with whole, positive coefficients that holds in every cell.

    Fewest terms first, and among these the earliest of `COLUMNS`. Solved in fractions and checked
    in integers, so that a residual of 0 is a proof for the cells measured. When these cells would
    let other laws through as well, a note says what to measure.
    """
    if not observed:
        return Law(None, (), False, 0.0, None, ("not counted in any usable cell",))
    observed = list(dict.fromkeys(observed))
    cells = tuple(dict.fromkeys((point.clients, point.rows) for point in observed))
    terms, notes = _allowed(observed, axis)
    if all(point.value.is_integer() for point in observed):
        for subset in _subsets(terms):
            found = _whole_solution(observed, subset)
            if found is not None:
                return Law(found, cells, True, 0.0, None, notes)
    return _nearest(observed, terms, cells, axis)


def _allowed(observed: Sequence[Point], axis: RowAxis) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Terms worth trying on these cells, and what they leave open."""
    counts = {point.clients for point in observed}
    rows = {point.rows for point in observed}
    terms = tuple(COLUMNS) if 0 in counts else ("1", "S", "R", "SR")
    notes = () if 0 in counts else ("S = 0 was not measured, so the law is for S > 0",)
    if rank(_matrix(observed, terms)) == len(terms):
        return terms, notes
    why = []
    if len(rows) < 2:
        why.append(f"only {axis.symbol} = {min(rows)} was measured, add a value to --{axis.flag}")
    if len(counts - {0}) < 2:
        why.append("fewer than two S above 0 were measured, add a value to --clients")
    reason = " and ".join(why) or f"{counted(len(observed), 'cell')} cannot rule them out"
    return terms, (*notes, f"other laws may fit too: {reason}")


def _subsets(terms: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    return chain.from_iterable(combinations(terms, size) for size in range(len(terms) + 1))


def _matrix(observed: Sequence[Point], terms: Sequence[str]) -> list[list[Fraction]]:
    return [[Fraction(COLUMNS[t](p.clients, p.rows)) for t in terms] for p in observed]


def _whole_solution(observed: Sequence[Point], terms: tuple[str, ...]) -> dict[str, int] | None:
    """Return coefficients when exactly one set solves all points and each is whole and above 0."""
    solved = solve(_matrix(observed, terms), [Fraction(p.value) for p in observed])
    if solved is None or any(c.denominator != 1 or c <= 0 for c in solved):
        return None
    return {term: int(c) for term, c in zip(terms, solved, strict=True)}


def _nearest(
    observed: Sequence[Point],
    terms: tuple[str, ...],
    cells: tuple[tuple[int, int], ...],
    axis: RowAxis,
) -> Law:
    """Return the rounded least-squares solution that holds in most cells, then misses by least.

    A count is a sum of what was done, so a solution with a coefficient below 0 is none.
    """
    rounded = chain.from_iterable(_rounded(observed, subset) for subset in _subsets(terms))
    able = (candidate for candidate in rounded if min(candidate[1].values(), default=0) >= 0)
    (_, residual), found, at = min(able, key=lambda candidate: candidate[0])
    where = f"S={at.clients} {axis.symbol}={at.rows}"
    note = f"no exact law: the nearest misses by {residual:g} at {where}"
    return Law(found, cells, False, residual, (at.clients, at.rows), (note,))


def _rounded(
    observed: Sequence[Point], terms: tuple[str, ...]
) -> Iterable[tuple[tuple[int, float], dict[str, int], Point]]:
    """Cells missed and by how much, the coefficients, and the cell missed by most.

    Once from all cells, and once without the one missed by most: it may be the only wrong one.
    """
    import numpy as np

    values = np.array([point.value for point in observed])
    design = np.array(_matrix(observed, terms), dtype=float).reshape(len(values), -1)
    kept = np.full(len(values), True)
    for _ in range(2):
        solution = np.rint(np.linalg.lstsq(design[kept], values[kept])[0]) if terms else np.empty(0)
        misses = np.abs(values - design @ solution)
        worst = int(misses.argmax())
        found = {term: int(c) for term, c in zip(terms, solution, strict=True) if c}
        yield (int(np.count_nonzero(misses)), float(misses[worst])), found, observed[worst]
        kept[worst] = False


def _evaluate(coefficients: dict[str, int], clients: int, rows: int) -> int:
    return sum(c * COLUMNS[term](clients, rows) for term, c in coefficients.items())


def _written(one: int, s: int, r: int, sr: int, symbol: str) -> str:
    """`one + s*S + r*R + sr*S*R` with S factored out where that is shorter."""
    parts = []
    if s and sr:
        parts.append(f"S*({_times(sr, symbol)}+{s})")
    elif sr:
        parts.append(_times(sr, f"S*{symbol}"))
    elif s:
        parts.append(_times(s, "S"))
    if r:
        parts.append(_times(r, symbol))
    if one or not parts:
        parts.append(str(one))
    return "+".join(parts).replace("+-", "-")


def _times(count: int, symbol: str) -> str:
    return symbol if count == 1 else f"{count}*{symbol}"
