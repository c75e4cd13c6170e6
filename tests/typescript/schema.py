"""A database's schema by names, without what two languages may number or call differently."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]


def described(schema: Json) -> dict[str, Any]:
    """Tables, reducers and views of a schema of version 9, with types in the place of references.

    The rows of a query-builder view stand in a query in Rust, in an array in TypeScript.
    """
    types = schema["typespace"]["types"]

    def whole(kind: Any) -> Any:
        if isinstance(kind, list):
            return [whole(part) for part in kind]
        if not isinstance(kind, dict):
            return kind
        if "Ref" in kind:
            return whole(types[kind["Ref"]])
        return {name: whole(part) for name, part in kind.items()}

    def returned(kind: Json) -> Any:
        elements = kind.get("Product", {}).get("elements", [])
        if [element["name"] for element in elements] == [{"some": "__query__"}]:
            kind = {"Array": elements[0]["algebraic_type"]}
        return whole(kind)

    views = [export["View"] for export in schema["misc_exports"]]
    return {
        "tables": {
            table["name"]: {**table, "product_type_ref": whole({"Ref": table["product_type_ref"]})}
            for table in schema["tables"]
        },
        "reducers": {reducer["name"]: whole(reducer) for reducer in schema["reducers"]},
        "views": {
            view["name"]: {
                "public": view["is_public"],
                "anonymous": view["is_anonymous"],
                "params": whole(view["params"]["elements"]),
                "returns": returned(view["return_type"]),
            }
            for view in views
        },
        "row_level_security": schema["row_level_security"],
    }
