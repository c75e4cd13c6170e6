"""A module's raw definition, given to the engine in a WASM module that has nothing else.

The engine checks it and makes its schema of it as it would for the JavaScript module itself.
"""

from __future__ import annotations

from collections.abc import Sequence

I32, I64, FUNCTION = b"\x7f", b"\x7e", b"\x60"
END, CALL, LOCAL, CONST, DROP = b"\x0b", b"\x10", b"\x20", b"\x41", b"\x1a"
LENGTH_AT, DEFINITION_AT = 4, 8


def definition_wasm(definition: bytes) -> bytes:
    """`__describe_module__` writes `definition` to its sink; reducers do nothing, views fail."""
    types = [
        FUNCTION + _vector([I32] * 3) + _vector([I32]),  # bytes_sink_write
        FUNCTION + _vector([I32]) + _vector([]),  # __describe_module__
        FUNCTION + _vector([I32, *[I64] * 7, I32, I32]) + _vector([I32]),  # __call_reducer__
    ]
    arguments = [LOCAL + _leb(0), CONST + _leb(DEFINITION_AT), CONST + _leb(LENGTH_AT)]
    describe = b"".join(arguments) + CALL + _leb(0) + DROP
    pages = 1 + (DEFINITION_AT + len(definition)) // 65536
    data = len(definition).to_bytes(4, "little") + definition
    return b"\0asm\1\0\0\0" + b"".join(
        bytes([number]) + _sized(content)
        for number, content in (
            (1, _vector(types)),
            (2, _vector([_name("spacetime_10.0") + _name("bytes_sink_write") + b"\0" + _leb(0)])),
            (3, _vector([_leb(1), _leb(2)])),
            (5, _vector([b"\0" + _leb(pages)])),
            (
                7,
                _vector(
                    [
                        _name("memory") + b"\2" + _leb(0),
                        _name("__describe_module__") + b"\0" + _leb(1),
                        _name("__call_reducer__") + b"\0" + _leb(2),
                    ]
                ),
            ),
            (10, _vector([_body(describe), _body(CONST + _leb(0))])),
            (11, _vector([b"\0" + CONST + _leb(LENGTH_AT) + END + _sized(data)])),
        )
    )


def _body(code: bytes) -> bytes:
    return _sized(_vector([]) + code + END)


def _sized(content: bytes) -> bytes:
    return _leb(len(content)) + content


def _name(text: str) -> bytes:
    return _sized(text.encode())


def _vector(items: Sequence[bytes]) -> bytes:
    return _leb(len(items)) + b"".join(items)


def _leb(number: int) -> bytes:
    """LEB128; below 64 it is the same signed and unsigned, which the two constants are."""
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _leb(rest) if rest else bytes([low])
