"""JSON as its standard has it, and nothing more: in UTF-8, each name of an object once, no NaN.

Data flow: bytes that anyone may have written -> decoded value
Run: pytest tests/infra/test_strict_json.py
Source: RFC 8259. Python's own reader takes other character sets too, the last of a name's values, and NaN; other readers do not.
"""

import json
from collections.abc import Mapping
from typing import Any, NoReturn


def decoded(value: bytes) -> Any:
    """Raises ValueError where it is no JSON, RecursionError where it is too deep."""
    return json.loads(value.decode(), object_pairs_hook=_once, parse_constant=_no_number)


def whole(fields: Mapping[str, Any], name: str, low: int = -(1 << 63)) -> int:
    """A field that is a whole number of 64 bits, from `low` on. Raises KeyError if it is missing, ValueError if it is none."""
    found = fields[name]
    if type(found) is not int or not low <= found < 1 << 63:
        raise ValueError(f"{name} is no whole number of 64 bits")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field is given twice")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON")
