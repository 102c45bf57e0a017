"""Are values of the types that are declared for them? If not, a sentence says which one is not, what it should be and what it is.

Data flow: a dataclass or an annotation, a value -> pydantic, strictly -> nothing, or a sentence
Run: pytest tests/infra/test_field_types.py

Nothing is converted: a list is no tuple, and 1 is no boolean. What lies in a dataclass within a value, that one checks itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from reprlib import Repr
from typing import Any, cast, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError

STRICTLY = ConfigDict(strict=True, arbitrary_types_allowed=True)
KEY = "[key]"
"""Where pydantic says that a key of a mapping is wrong."""
SHORT = Repr()
SHORT.maxstring = SHORT.maxother = 60


def check_fields(one: Any, title: str) -> None:
    """Raise ValueError, which begins with the title and names the first field that is of another type than its class declares."""
    own = {field.name: getattr(one, field.name) for field in fields(one)}
    if told := _wrong(_of_class(cast(Any, type(one))), tuple(own.values()), tuple(own)):
        raise ValueError(f"{title}: {told[0]}, and is {SHORT.repr(told[1])} ({type(told[1]).__name__})")


def differing(kind: Any, value: object, name: str) -> str | None:
    """How a value differs from a type, in words that begin with its name; None if it is of the type. The value is not shown: it
    may be a secret."""
    told = _wrong(_of_kind(kind), (value,), (name,))
    return f"{told[0]}, and is of type {type(told[1]).__name__}" if told else None


@cache
def _of_class(kind: Any) -> TypeAdapter[Any]:
    """For the values of all fields, as a tuple."""
    hints = get_type_hints(kind, include_extras=True)
    every: Any = tuple[tuple(hints[field.name] for field in fields(kind))]  # type: ignore[misc]
    return TypeAdapter(every, config=STRICTLY)


@cache
def _of_kind(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(tuple[kind], config=STRICTLY)


def _wrong(known: TypeAdapter[Any], values: tuple[object, ...], names: Sequence[str]) -> tuple[str, object] | None:
    """Of the first value that is of another type: what it should be, as words, and what it is."""
    try:
        known.validate_python(values)
    except ValidationError as failure:
        errors = failure.errors(include_url=False)
    else:
        return None
    place, found = _place(errors[0]["loc"], values)
    # Of a union there is an error for each of its types.
    alike = [one["msg"] for one in errors if _place(one["loc"], values)[0] == place]
    name = f"`{names[int(place[0])]}{''.join(f'[{part!r}]' for part in place[1:])}`"
    if errors[0]["loc"][-1] == KEY:
        found = errors[0]["input"]
        name = f"the key {SHORT.repr(found)} of {name}"
    expected = [one.partition(" should ")[2] for one in alike]
    return (f"{name} should {' or '.join(dict.fromkeys(expected))}" if all(expected) else f"{name}: {alike[0]}"), found


def _place(parts: tuple[int | str, ...], found: Any) -> tuple[tuple[int | str, ...], object]:
    """The place of an error and what is there. Behind it pydantic names types of a union, which are no places."""
    there: list[int | str] = []
    for part in parts if parts[-1] != KEY else parts[:-2]:
        places = found if isinstance(found, Mapping) else range(len(found)) if isinstance(found, tuple | list) else ()
        if part not in places:
            break
        found = found[part]
        there.append(part)
    return tuple(there), found
