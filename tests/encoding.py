"""Arguments as tests need them most."""

from __future__ import annotations

from analyzer.stdb.bsatn import Writer


def encode_u64(value: int) -> bytes:
    """Arguments of a reducer that takes one U64."""
    return Writer().u64(value).getvalue()
