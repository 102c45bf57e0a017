"""The type that most values of a field have, nested ones too.

Data flow: values of JSON -> the commonest type (DDL of a column), and how many values have it
Run: pytest tests/streaming/proposal/test_infer.py
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from streaming.proposal.names import columns

LONG = 1 << 63
DEEPEST = 4
"""Objects that are deeper inside of each other are kept as text."""


class Kind(NamedTuple):
    """`ddl`: the type of a column; `python`: the same as a contract says it. `fits`: how many of the values have it."""

    ddl: str
    python: str
    fits: int


TEXT = Kind("string", '"string"', 0)


def kind_of(values: Sequence[Any], depth: int = 0) -> Kind:
    """Of values without nulls; at least one. Whole numbers beside others are doubles too."""
    counts = Counter(map(_name, values))
    if counts["double"]:
        counts["double"] += counts.pop("bigint", 0)
    name, fits = max(counts.items(), key=lambda one: (one[1], one[0]))
    own = [value for value in values if _name(value) == name]
    if name == "object":
        return _struct(own, depth)
    if name == "array":
        elements = [element for one in own for element in one if element is not None]
        of = kind_of(elements, depth + 1) if elements else TEXT
        return Kind(f"array<{of.ddl}>", f"ArrayType({_type(of)})" if of.ddl != "string" else '"array<string>"', fits)
    return Kind(name, f'"{name}"', fits)


def has(value: Any, ddl: str) -> bool:
    """Is the value of the type, on its outside?"""
    name = _name(value)
    if name == "object":
        return ddl.startswith("struct") or ddl == "string"
    return name == ddl.partition("<")[0] or (ddl == "double" and name == "bigint")


def _struct(objects: Sequence[Mapping[str, Any]], depth: int) -> Kind:
    known = columns(objects)
    if depth >= DEEPEST or not known.kept:
        return TEXT._replace(fits=len(objects))
    found = {name: [one[name] for one in objects if one.get(name) is not None] for name in known.kept}
    kinds = {name: kind_of(values, depth + 1) if values else TEXT for name, values in found.items()}
    told = ", ".join(f'column("{name}", {one.python}, "Say what it is")' for name, one in kinds.items())
    return Kind(
        f"struct<{','.join(f'{name}:{one.ddl}' for name, one in kinds.items())}>", f"struct({told})", len(objects)
    )


def _type(kind: Kind) -> str:
    return f"TYPES[{kind.python}]" if kind.python.startswith('"') else kind.python


def _name(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "bigint" if -LONG <= value < LONG else "double"
    if isinstance(value, float):
        return "double"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
