"""A text of JSON, as Spark's strict decoder reads it by a schema: what fits no field's type is null, and marks the whole.

Data flow: text -> Written -> event by a schema, with `_corrupt`; names as they are written
Run: pytest tests/streaming/test_webhooks_check.py
"""

import json
from typing import Any

from pyspark.sql.types import ArrayType, BooleanType, DataType, IntegerType, LongType, StringType, StructType

BITS = {IntegerType: 31, LongType: 63}
DEEPEST, LONGEST_NUMBER, LONGEST_NAME = 1000, 1000, 50_000
"""Limits of Jackson, Spark's parser."""


class Number(str):
    """A number as it is written."""


class Written(dict[str, Any]):
    """An object: the last of a name counts; `pairs` has each as often as it is written."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs
        if any(len(name) > LONGEST_NAME for name, _ in pairs):
            raise BeyondLimits(f"it has a name of more than {LONGEST_NAME:,} characters")


class NotJson(Exception):
    """No JSON to Spark."""


class BeyondLimits(Exception):
    """Beyond the limits of Spark's parser, where it depends on what reads it how it fails."""


class _Misfit(Exception):
    """What is written does not fit the type; `rest` is what is left of it."""

    def __init__(self, rest: Any = None) -> None:
        super().__init__()
        self.rest = rest


def read(text: str) -> Any:
    """Objects as Written, numbers as Number. Raises NotJson, BeyondLimits."""
    try:
        found = json.loads(
            text, object_pairs_hook=Written, parse_int=_number, parse_float=_number, parse_constant=_constant
        )
    except ValueError as wrong:
        raise NotJson(str(wrong)) from None
    except RecursionError:
        raise BeyondLimits("it is nested too deep") from None
    if _depth(found) > DEEPEST:
        raise BeyondLimits(f"it is nested deeper than {DEEPEST}")
    return found


def _number(text: str) -> Number:
    if len(text) > LONGEST_NUMBER:
        raise BeyondLimits(f"it has a number of more than {LONGEST_NUMBER} digits")
    return Number(text)


def _constant(text: str) -> None:
    raise NotJson(f"{text} is no JSON")


def _depth(found: Any) -> int:
    deepest, left = 0, [(found, 1)]
    while left:
        one, depth = left.pop()
        if isinstance(one, dict | list):
            deepest = max(deepest, depth)
            left += [(each, depth + 1) for each in (one.values() if isinstance(one, dict) else one)]
    return deepest


def event(written: Any, schema: StructType, text: str) -> dict[str, Any]:
    """The fields of an object by a schema; `_corrupt` is the text if something does not fit its type, else None."""
    try:
        return {**_struct(written, schema), "_corrupt": None}
    except _Misfit as misfit:
        return {**misfit.rest, "_corrupt": text}


def _struct(written: Written, schema: StructType) -> dict[str, Any]:
    """Each field by its type. Where one does not fit, the others are left, and what was written before it under its name."""
    kinds = {field.name: field.dataType for field in schema}
    found, fits = dict[str, Any].fromkeys(kinds), True
    for name, inside in written.pairs:
        if name in kinds:
            try:
                found[name] = _by(inside, kinds[name])
            except _Misfit as misfit:
                found[name], fits = found[name] if misfit.rest is None else misfit.rest, False
    if not fits:
        raise _Misfit(found)
    return found


def _array(written: list[Any], kind: DataType) -> list[Any]:
    """Each element by its type. Of an object that does not fit the rest is left, of all else nothing, not even the array."""
    found, fits = list[Any](), True
    for inside in written:
        try:
            found.append(_by(inside, kind))
        except _Misfit as misfit:
            if misfit.rest is None:
                raise
            found.append(misfit.rest)
            fits = False
    if not fits:
        raise _Misfit(found)
    return found


def _by(written: Any, kind: DataType) -> Any:
    match kind, written:
        case _, None:
            return None
        case StructType(), Written():
            return _struct(written, kind)
        case ArrayType(), list():
            return _array(written, kind.elementType)
        case StringType(), str():
            # Half a character cannot be written in UTF-8.
            return written.encode(errors="replace").decode()
        case StringType(), _:
            return _compact(written)
        case BooleanType(), bool():
            return written
        case ((IntegerType() | LongType()), Number()) if written.lstrip("-").isdecimal():
            found, bits = int(written), BITS[type(kind)]
            if -(1 << bits) <= found < 1 << bits:
                return found
    raise _Misfit


def _compact(written: Any) -> str:
    """What is no string, as a text. Spark writes a fraction in another form, maybe of another length."""
    if isinstance(written, Number):
        return written
    if isinstance(written, Written):
        return "{" + ",".join(f"{_compact(name)}:{_compact(inside)}" for name, inside in written.pairs) + "}"
    if isinstance(written, list):
        return "[" + ",".join(map(_compact, written)) + "]"
    return json.dumps(written, ensure_ascii=False)


def names_of(written: Any) -> list[str] | None:
    """The names of an object, each as often as it is written; null for what is none. A string is read as JSON."""
    if isinstance(written, str) and not isinstance(written, Number):
        try:
            written = read(written)
        except (NotJson, BeyondLimits):
            return None
    return [name for name, _ in written.pairs] if isinstance(written, Written) else None


def is_of_variant(written: Any, kind: str) -> bool:
    """Is it an array (`array<variant>`) or an object (`map<string,variant>`)?"""
    return isinstance(written, {"array<variant>": list, "map<string,variant>": Written}[kind])


def variant_kind(written: Any) -> str:
    """STRING for a string, else something else."""
    return "STRING" if isinstance(written, str) and not isinstance(written, Number) else type(written).__name__
