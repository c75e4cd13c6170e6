"""Declared counts as text: `S*(4*G+1)+1`."""

from __future__ import annotations

import ast
from functools import lru_cache
from types import CodeType

from analyzer.errors import UsageError

_ROWS = ("R", "G", "F")
_ALLOWED = (
    ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Constant, ast.Name, ast.Load
)  # fmt: skip


class Formula(str):
    """A count per write: whole numbers, `+ - *`, and the letters of a cell.

    S is the clients, R the rows (or the letter of the scenario: G rooms, F entrants), and P is 1
    as soon as there is a client, else 0: an anonymous view has one instance then. Making one
    raises UsageError for anything else.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Formula:
        _compiled(text)
        return super().__new__(cls, text)

    def __call__(self, clients: int, rows: int) -> int:
        letters = {"S": clients, "P": int(clients > 0), **dict.fromkeys(_ROWS, rows)}
        return int(eval(_compiled(self), {"__builtins__": {}}, letters))


@lru_cache
def _compiled(text: str) -> CodeType:
    wrong = UsageError(f"{text!r} is no count: write S, R, P, whole numbers, + - * and brackets")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        raise wrong from None
    for node in ast.walk(tree):
        known = isinstance(node, _ALLOWED)
        if isinstance(node, ast.Constant):
            known = type(node.value) is int
        if isinstance(node, ast.Name):
            known = node.id in ("S", "P", *_ROWS)
        if not known:
            raise wrong
    return compile(tree, "<count>", "eval")
