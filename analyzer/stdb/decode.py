"""Values out of BSATN, by the algebraic types of a v9 schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.errors import MeasurementError
from analyzer.stdb.bsatn import Reader

Json = Mapping[str, Any]
_INTEGER = re.compile(r"([UI])(8|16|32|64|128|256)")


def decode_value(reader: Reader, kind: Json, typespace: Sequence[Json]) -> Any:
    """Read one value: products and arrays become tuples, sums (variant, value).

    Raises MeasurementError for bytes that end too early or a type that is not known.
    """
    ((name, detail),) = kind.items()
    match name:
        case "Ref":
            return decode_value(reader, typespace[detail], typespace)
        case "Product":
            return tuple(
                decode_value(reader, element["algebraic_type"], typespace)
                for element in detail["elements"]
            )
        case "Sum":
            tag, variants = reader.u8(), detail["variants"]
            if tag >= len(variants):
                raise MeasurementError(f"variant {tag} of a type that has {len(variants)}")
            variant = variants[tag]
            label = variant["name"].get("some", "")
            return label, decode_value(reader, variant["algebraic_type"], typespace)
        case "Array":
            return reader.array(lambda: decode_value(reader, detail, typespace))
        case "Bool":
            return reader.boolean()
        case "String":
            return reader.string()
        case "F32":
            return reader.f32()
        case "F64":
            return reader.f64()
        case _ if match := _INTEGER.fullmatch(name):
            return reader.integer(int(match[2]), signed=match[1] == "I")
        case _:
            raise MeasurementError(f"values of type {name} cannot be decoded")
