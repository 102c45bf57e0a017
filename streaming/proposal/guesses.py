"""Which field is the event's id, its time, its type, the record's key? Told by its name, and by how many records fit.

Data flow: JSON objects, keys of records -> Guess, or None
Run: pytest tests/streaming/proposal/test_infer.py
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streaming.contracts.contract import UUID

Object = Mapping[str, Any]
MAY_BE = 0.5
"""A field of which less than this fits is not said to be the id or the time."""
MOST_TYPES = 20
ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d.*")
YEARS = 946_684_800, 4_102_444_800
"""2000 to 2100, in seconds."""
UNITS: Mapping[str, Callable[[Any], bool]] = {
    "epoch milliseconds": lambda value: is_int(value) and YEARS[0] * 1000 <= value < YEARS[1] * 1000,
    "epoch seconds": lambda value: not isinstance(value, bool | str) and YEARS[0] <= value < YEARS[1],
    "ISO 8601": lambda value: isinstance(value, str) and bool(ISO.fullmatch(value)),
}


@dataclass(frozen=True)
class Guess:
    """A field that may be the id, the time, the type or the key; `share` of the records fits (0 to 1), as what `of` says."""

    field: str
    share: float
    of: str


def values_of(objects: Sequence[Object], name: str) -> list[Any]:
    """The field's values, without nulls."""
    return [one[name] for one in objects if one.get(name) is not None]


def id_of(objects: Sequence[Object], names: Sequence[str]) -> Guess | None:
    """The text that is another one in each record: `event_id`, or UUIDs, or one that is called an id."""
    found = []
    for name in names:
        texts = [value for value in values_of(objects, name) if isinstance(value, str)]
        uuids = sum(bool(re.fullmatch(UUID, text)) for text in texts)
        if not uuids and not name.lower().endswith("id"):
            continue
        share = len(set(texts)) / len(objects)
        of = "different UUIDs" if uuids == len(texts) else "different texts, not all of them UUIDs"
        found.append((name == "event_id", uuids > 0, share, Guess(name, share, of)))
    return _best(found)


def time_of(objects: Sequence[Object], names: Sequence[str]) -> Guess | None:
    """The time that is in most records: `event_time`, or the first one."""
    found = []
    for name in names:
        values = [value for value in values_of(objects, name) if not isinstance(value, dict | list)]
        for unit, holds in UNITS.items():
            share = sum(map(holds, values)) / len(objects)
            found.append((name == "event_time", unit == "epoch milliseconds", share, Guess(name, share, unit)))
    return _best(found)


def type_of(objects: Sequence[Object], names: Sequence[str]) -> Guess | None:
    """`event_type`, or a field that is called type, kind, event or action, if it has few texts."""
    found = []
    for name in names:
        texts = [value for value in values_of(objects, name) if isinstance(value, str)]
        is_named = name == "event_type" or name.lower() in ("type", "kind", "event", "action")
        if is_named and 0 < len(set(texts)) <= MOST_TYPES:
            share = len(texts) / len(objects)
            found.append((name == "event_type", True, share, Guess(name, share, f"{len(set(texts))} different texts")))
    return _best(found)


def _best(found: Sequence[tuple[bool, bool, float, Guess]]) -> Guess | None:
    """The one of the platform's own name, or the likeliest; None if that is in too few records."""
    likely = [one for one in found if one[2] >= MAY_BE]
    return max(likely, key=lambda one: one[:3])[3] if likely else None


def key_of(records: Sequence[tuple[bytes | None, Object]], names: Sequence[str]) -> Guess | None:
    """The field that is the record's key most often, if it is that in most."""
    texts = [(None if key is None else key.decode(errors="replace"), one) for key, one in records]
    shares = {
        name: sum(key is not None and _text(one.get(name)) == key for key, one in texts) / len(texts) for name in names
    }
    best = max(shares, key=lambda name: shares[name], default=None)
    if best is None or shares[best] < MAY_BE:
        return None
    return Guess(best, shares[best], "equal to the record's key")


def _text(value: Any) -> str | None:
    return str(value) if isinstance(value, str) or is_int(value) else None


def is_int(value: Any) -> bool:
    """Is it a whole number? Python takes true for one."""
    return isinstance(value, int) and not isinstance(value, bool)
