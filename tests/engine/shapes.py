"""Compares answers by shape: the same keys and types, whatever the values."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent.parent / "fixtures"


def recorded(name: str) -> Any:
    """What the real 2.8.3 server said."""
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


def shape(value: Any) -> Any:
    """Types instead of values; a list is the set of its elements' shapes."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(inner), sort_keys=True) for inner in value})
    return type(value).__name__


def masked(text: str) -> str:
    """Text without the identities and numbers in it."""
    return re.sub(r"\d+", "N", re.sub(r"\b[0-9a-f]{64}\b", "ID", text))
