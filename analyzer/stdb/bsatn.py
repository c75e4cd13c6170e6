"""BSATN, SpacetimeDB's binary format: little-endian numbers, lengths as u32, no padding."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, TypeVar

from analyzer.errors import MeasurementError, UsageError

T = TypeVar("T")

_F32 = struct.Struct("<f")
_F64 = struct.Struct("<d")


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


def encode_u64(value: int) -> bytes:
    """Arguments of a reducer that takes one U64."""
    return Writer().u64(value).getvalue()
