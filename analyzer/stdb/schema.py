"""What a database says of itself: reducers with their arguments, views, types of rows."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyzer.errors import UsageError
from analyzer.stdb.bsatn import Reader, encode_reducer_args
from analyzer.stdb.decode import decode_value

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class View:
    name: str
    anonymous: bool
    """Else there is one instance for each sender."""
    parameters: tuple[tuple[str, str], ...]
    """Name and type of each."""
    query: bool
    """Whether it returns a query-builder query: the server counts none of its work."""


class Schema:
    """Made of the JSON of `StdbHttp.schema`, version 9."""

    def __init__(self, document: Json) -> None:
        self._types: Sequence[Json] = document["typespace"]["types"]
        self._reducers: dict[str, list[Json]] = {
            reducer["name"]: [e["algebraic_type"] for e in reducer["params"]["elements"]]
            for reducer in document["reducers"]
        }
        views = [entry["View"] for entry in document["misc_exports"] if "View" in entry]
        self._tables: dict[str, Json] = {
            table["name"]: {"Ref": table["product_type_ref"]} for table in document["tables"]
        } | {view["name"]: _row(view["return_type"]) for view in views}
        self.views = tuple(self._view(view) for view in views)

    def encode(self, reducer: str, values: Sequence[Any]) -> bytes:
        """BSATN of a reducer's arguments; raises UsageError naming the reducer or argument."""
        if reducer not in self._reducers:
            known = ", ".join(self._reducers) or "none"
            raise UsageError(f"the database has no reducer {reducer!r}: it has {known}")
        try:
            return encode_reducer_args(values, self._reducers[reducer], self._types)
        except UsageError as error:
            raise UsageError(f"{reducer}: {error}") from None

    def decode_row(self, table: str, row: bytes) -> tuple[Any, ...]:
        """The values of a row of a table or view. Raises MeasurementError when it does not fit."""
        values: tuple[Any, ...] = decode_value(Reader(row), self._tables[table], self._types)
        return values

    def uncounted(self, tables: Container[str]) -> bool:
        """Whether one of them is a query-builder view."""
        return any(view.query and view.name in tables for view in self.views)

    def _view(self, view: Json) -> View:
        parameters = tuple(
            (str(element["name"].get("some", "")), self._type_name(element["algebraic_type"]))
            for element in view["params"]["elements"]
        )
        query = _query(view["return_type"]) is not None
        return View(view["name"], bool(view["is_anonymous"]), parameters, query)

    def _type_name(self, kind: Json) -> str:
        """`U64`, `Array<String>`; a type of the module's own is `Product` or `Sum`."""
        ((name, detail),) = kind.items()
        if name == "Ref":
            return self._type_name(self._types[detail])
        return f"Array<{self._type_name(detail)}>" if name == "Array" else str(name)


def _row(returned: Json) -> Json:
    """The type of one row: a view returns an array or an option of it, or a query for it."""
    if (queried := _query(returned)) is not None:
        return queried
    ((name, detail),) = returned.items()
    row: Json = detail if name == "Array" else detail["variants"][0]["algebraic_type"]
    return row


def _query(returned: Json) -> Json | None:
    elements = returned.get("Product", {}).get("elements", [])
    if len(elements) == 1 and elements[0]["name"] == {"some": "__query__"}:
        row: Json = elements[0]["algebraic_type"]
        return row
    return None
