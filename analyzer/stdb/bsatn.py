"""BSATN, SpacetimeDB's binary format: little-endian numbers, lengths as u32, no padding."""

from __future__ import annotations

import re
import reprlib
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from analyzer.errors import MeasurementError, UsageError

T = TypeVar("T")
Json = Mapping[str, Any]

_F32 = struct.Struct("<f")
_F64 = struct.Struct("<d")
_INTEGER = re.compile(r"([UI])(8|16|32|64|128|256)")


class Reader:
    """Reads values one after another. Raises MeasurementError where the bytes end too early."""

    __slots__ = ("_data", "position")

    def __init__(self, data: bytes, position: int = 0) -> None:
        self._data = data
        self.position = position

    @property
    def at_end(self) -> bool:
        return self.position == len(self._data)

    def take(self, size: int) -> bytes:
        end = self.position + size
        if end > len(self._data):
            raise MeasurementError(
                f"truncated message: {size} bytes wanted at {self.position}, "
                f"{len(self._data) - self.position} left"
            )
        taken = self._data[self.position : end]
        self.position = end
        return taken

    def integer(self, bits: int, *, signed: bool = False) -> int:
        return int.from_bytes(self.take(bits // 8), "little", signed=signed)

    def u8(self) -> int:
        return self.integer(8)

    def u16(self) -> int:
        return self.integer(16)

    def u32(self) -> int:
        return self.integer(32)

    def boolean(self) -> bool:
        return self.u8() != 0

    def f32(self) -> float:
        return float(_F32.unpack(self.take(4))[0])

    def f64(self) -> float:
        return float(_F64.unpack(self.take(8))[0])

    def blob(self) -> bytes:
        return self.take(self.u32())

    def string(self) -> str:
        return self.blob().decode("utf-8", errors="replace")

    def array(self, element: Callable[[], T]) -> tuple[T, ...]:
        return tuple(element() for _ in range(self.u32()))

    def option(self, content: Callable[[], T]) -> T | None:
        return content() if self.u8() == 0 else None


class Writer:
    """Writes values one after another; each method returns the writer, so that calls chain.

    Raises UsageError for a number that does not fit its width.
    """

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def getvalue(self) -> bytes:
        return b"".join(self._parts)

    def raw(self, data: bytes) -> Writer:
        self._parts.append(data)
        return self

    def integer(self, value: int, bits: int, *, signed: bool = False) -> Writer:
        try:
            return self.raw(value.to_bytes(bits // 8, "little", signed=signed))
        except OverflowError:
            kind = "I" if signed else "U"
            raise UsageError(f"{value} does not fit into {kind}{bits}") from None

    def u8(self, value: int) -> Writer:
        return self.integer(value, 8)

    def u32(self, value: int) -> Writer:
        return self.integer(value, 32)

    def u64(self, value: int) -> Writer:
        return self.integer(value, 64)

    def boolean(self, value: bool) -> Writer:
        return self.u8(int(value))

    def f32(self, value: float) -> Writer:
        try:
            return self.raw(_F32.pack(value))
        except OverflowError:
            raise UsageError(f"{value} does not fit into F32") from None

    def f64(self, value: float) -> Writer:
        return self.raw(_F64.pack(value))

    def blob(self, data: bytes) -> Writer:
        return self.u32(len(data)).raw(data)

    def string(self, text: str) -> Writer:
        return self.blob(text.encode("utf-8"))


def encode_reducer_args(
    values: Sequence[Any], types: Sequence[Json], typespace: Sequence[Json] = ()
) -> bytes:
    """Encode Python values by the algebraic types of a v9 schema, such as `{"U64": []}`.

    Products take a dict or a sequence, sums `{variant: value}`, options a value or None, and
    one-field specials (`__identity__`, `__timestamp_...__`) the bare number or, from 128 bits,
    its hex digits. `typespace` resolves `Ref`. Raises UsageError naming the argument.
    """
    if len(values) != len(types):
        raise UsageError(f"the reducer takes {len(types)} arguments, {len(values)} are given")
    writer = Writer()
    encoder = _Encoder(writer, typespace)
    for number, (value, kind) in enumerate(zip(values, types, strict=True), 1):
        encoder.encode(value, kind, f"argument {number}")
    return writer.getvalue()


class _Encoder:
    """Walks a type and a value together; `where` is the way to the value, for messages."""

    def __init__(self, writer: Writer, typespace: Sequence[Json]) -> None:
        self._writer = writer
        self._typespace = typespace

    def encode(self, value: Any, kind: Json, where: str) -> None:
        ((name, detail),) = kind.items()
        match name:
            case "Ref":
                self.encode(value, self._typespace[detail], where)
            case "Product":
                self._product(value, detail["elements"], where)
            case "Sum":
                self._sum(value, detail["variants"], where)
            case "Array":
                self._array(value, detail, where)
            case "Bool":
                self._writer.boolean(_checked(value, bool, name, where))
            case "String":
                self._writer.string(_checked(value, str, name, where))
            case "F32":
                self._writer.f32(_checked(value, (int, float), name, where))
            case "F64":
                self._writer.f64(_checked(value, (int, float), name, where))
            case _ if match := _INTEGER.fullmatch(name):
                self._integer(value, int(match[2]), match[1] == "I", where)
            case _:
                raise UsageError(f"{where}: values of type {name} cannot be encoded")

    def _integer(self, value: Any, bits: int, signed: bool, where: str) -> None:
        kind = f"{'I' if signed else 'U'}{bits}"
        if bits >= 128 and isinstance(value, str):
            try:
                value = int(value, 16)
            except ValueError:
                raise _mismatch(value, kind, where) from None
        try:
            self._writer.integer(_checked(value, int, kind, where), bits, signed=signed)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None

    def _array(self, value: Any, element: Json, where: str) -> None:
        items = _checked(value, (list, tuple, bytes), "Array", where)
        self._writer.u32(len(items))
        for index, item in enumerate(items):
            self.encode(item, element, f"{where}[{index}]")

    def _product(self, value: Any, elements: Sequence[Json], where: str) -> None:
        names = [_name(element) for element in elements]
        if len(names) == 1 and names[0].startswith("__"):
            value = [value]
        if isinstance(value, dict):
            if set(value) != set(names):
                raise UsageError(f"{where}: the fields are {', '.join(names)}")
            value = [value[name] for name in names]
        items = _checked(value, (list, tuple), "Product", where)
        if len(items) != len(names):
            raise UsageError(f"{where}: {len(names)} fields wanted, {len(items)} given")
        for name, item, element in zip(names, items, elements, strict=True):
            self.encode(item, element["algebraic_type"], f"{where}.{name}")

    def _sum(self, value: Any, variants: Sequence[Json], where: str) -> None:
        names = [_name(variant) for variant in variants]
        if names == ["some", "none"]:
            value = {"none": []} if value is None else {"some": value}
        chosen = _checked(value, dict, "Sum", where)
        if len(chosen) != 1 or not set(chosen) <= set(names):
            raise UsageError(f"{where}: write one of {', '.join(names)} as {{variant: value}}")
        ((name, content),) = chosen.items()
        tag = names.index(name)
        self._writer.u8(tag)
        self.encode(content, variants[tag]["algebraic_type"], f"{where}.{name}")


def _name(element: Json) -> str:
    """Name of a field or variant: `{"some": name}`, or `{"none": []}` for a nameless one."""
    return str(element["name"].get("some", ""))


def _checked(value: Any, python: type | tuple[type, ...], kind: str, where: str) -> Any:
    # bool is an int in Python, and 1 for true would pass unseen.
    if not isinstance(value, python) or (isinstance(value, bool) and python is not bool):
        raise _mismatch(value, kind, where)
    return value


def _mismatch(value: Any, kind: str, where: str) -> UsageError:
    return UsageError(f"{where}: {reprlib.repr(value)} is no {kind}")
