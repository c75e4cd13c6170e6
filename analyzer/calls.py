"""Texts with places to fill in: `settle_street({i})`, `SELECT * FROM room({client})`."""

from __future__ import annotations

import json
import re
from typing import Any

from analyzer.errors import UsageError

_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")
_TABLE = re.compile(r"\b(?:from|join)\s+(\w+)", re.IGNORECASE)
_CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\))?\s*", re.DOTALL)


def fill(text: str, *, i: int, rows: int, client: int) -> str:
    """Put numbers in the places of `text`.

    `{rows}` is how many rows there are and `{i}` one of them, counted from 0: the row a write
    goes to, or the one a client looks at. `{client}` is the client's number from 0. Raises
    UsageError for a place of another name.
    """
    values = {"i": i, "rows": rows, "client": client}

    def value(place: re.Match[str]) -> str:
        if place[1] not in values:
            known = ", ".join(f"{{{name}}}" for name in values)
            raise UsageError(f"{text!r}: there is no {place[0]}: the places are {known}")
        return str(values[place[1]])

    return _PLACE.sub(value, text)


def tables(query: str) -> list[str]:
    """The tables and views that a SQL query reads."""
    return _TABLE.findall(query)


class Call(str):
    """A reducer and its arguments as JSON, `bid({i}, {"raise": 5}, null)`; none needs no brackets.

    Making one raises UsageError when it is no such text.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Call:
        call = super().__new__(cls, text)
        call.arguments(i=0, rows=1, client=0)
        return call

    @property
    def reducer(self) -> str:
        return self._parts[0]

    def arguments(self, *, i: int, rows: int, client: int) -> list[Any]:
        """The arguments with their places filled in, see `fill`."""
        try:
            filled = fill(self._parts[1] or "", i=i, rows=rows, client=client)
            values: list[Any] = json.loads(f"[{filled}]")
        except ValueError as error:
            raise UsageError(f"{str(self)!r}: the arguments are not JSON: {error}") from None
        return values

    @property
    def _parts(self) -> tuple[str, str | None]:
        match = _CALL.fullmatch(self)
        if match is None:
            raise UsageError(f"{str(self)!r} is no call: write 'reducer({{i}}, \"text\", 5)'")
        return match[1], match[2]
