"""What a model file's JSON may contain: only values that are read back unchanged."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["PLAIN", "as_json", "find_unplain", "from_json"]

MAX_DEPTH = 20
MAX_WHOLE = 2**63 - 1
PLAIN = (
    "None, bool, whole numbers of up to 63 bits, finite floats, str, and lists and dicts (with "
    f"str keys) of these, nested up to {MAX_DEPTH} deep"
)


def find_unplain(value: Any, depth: int = MAX_DEPTH) -> str | None:
    """Describe the first value that JSON cannot hold or would return as something else."""
    if value is None or isinstance(value, str | bool):
        return None
    if isinstance(value, int):
        # Do not show the digits of a huge number: that takes time quadratic in their count.
        return None if abs(value) <= MAX_WHOLE else f"a number of {value.bit_length()} bits"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"the number {value}"
    if not isinstance(value, list | dict):
        return f"a {type(value).__name__}"
    if depth == 0:
        return f"something nested more than {MAX_DEPTH} deep"
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                return f"a key of type {type(key).__name__}"
    items = value.values() if isinstance(value, dict) else value
    return next(filter(None, (find_unplain(item, depth - 1) for item in items)), None)


def as_json(value: Any) -> bytes:
    """Return the only JSON text of a plain value: spaces, escapes and digits are fixed."""
    return json.dumps(value, allow_nan=False).encode("ascii")


def from_json(text: bytes) -> Any:
    """Read JSON into a plain value, or raise `ValueError` if it is not one."""
    try:
        value = json.loads(text.decode("ascii"))
    except RecursionError:
        raise ValueError(f"it is nested more than {MAX_DEPTH} deep") from None
    unplain = find_unplain(value)
    if unplain is not None:
        raise ValueError(f"it holds {unplain}")
    return value
