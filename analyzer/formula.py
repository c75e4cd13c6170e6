"""Declared counts as text: `S*(4*G+1)+1`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from functools import lru_cache

from analyzer.errors import UsageError

_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}


class Formula(str):
    """A count per write: whole numbers, `+ - *`, and the letters of a cell.

    S is the clients, R the rows (or the letter of the scenario: G rooms, F entrants), and P is 1
    as soon as there is a client, else 0: an anonymous view has one instance then. Making one
    raises UsageError for anything else.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Formula:
        formula = super().__new__(cls, text)
        formula(1, 1)
        return formula

    def __call__(self, clients: int, rows: int) -> int:
        letters = {"S": clients, "P": int(clients > 0), "R": rows, "G": rows, "F": rows}
        try:
            return _value(_parsed(self), letters)
        except (SyntaxError, ValueError, KeyError):
            raise UsageError(
                f"{str(self)!r} is no count: write S, R, P, whole numbers, + - * and brackets"
            ) from None


@lru_cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text.strip(), mode="eval").body


def _value(node: ast.expr, letters: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return number
        case ast.Name(id=letter):
            return letters[letter]
        case ast.BinOp(left=left, op=sign, right=right):
            value: int = _SIGNS[type(sign)](_value(left, letters), _value(right, letters))
            return value
        case _:
            raise ValueError
