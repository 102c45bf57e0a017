"""What contract do these records keep? Nothing but a function of the records.

Data flow: keys and values of records -> Proposal
Run: pytest tests/streaming/proposal/test_infer.py
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from infra import strict_json
from infra.failures import PermanentFailure
from streaming.contracts.contract import ENVELOPE
from streaming.proposal.guesses import Guess, Object, id_of, is_int, key_of, time_of, type_of, values_of
from streaming.proposal.kinds import has, kind_of
from streaming.proposal.names import columns
from streaming.proposal.rules import Found, of_numbers, of_texts

MOSTLY = 0.99
"""A field that so many events of a type have is required (share)."""


@dataclass(frozen=True)
class Field:
    """A field of the payload. `present`: share of the records that have it; `fits`: share of its values that have the type `ddl`
    (`python`: as a contract says it); `rule`: what most of these keep."""

    name: str
    ddl: str
    python: str
    present: float
    fits: float
    rule: Found | None


@dataclass(frozen=True)
class Proposal:
    """What `records` records say, of which `objects` are JSON objects. `required`: by event type the fields of (almost) all of
    its events. `left_out`: fields that cannot be columns, and why. `versioned`: share of the records with a schema version.
    `examples`: by event type the payload of one that fits."""

    topic: str
    records: int
    objects: int
    event_id: Guess | None
    event_time: Guess | None
    event_type: Guess | None
    key: Guess | None
    fields: tuple[Field, ...]
    required: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, str]
    versioned: float
    examples: Mapping[str, Mapping[str, Any]]


def proposal(topic: str, records: Sequence[tuple[bytes | None, bytes | None]]) -> Proposal:
    """From keys and values of records. Raises PermanentFailure if there are none, or no JSON object among them."""
    if not records:
        raise PermanentFailure(
            f"the topic {topic} has no record: send some first, or make a project without --from-topic"
        )
    found = [(key, one) for key, value in records if isinstance(one := _decoded(value), dict)]
    if not found:
        raise PermanentFailure(
            f"none of {len(records):,} records of {topic} is a JSON object: a contract is proposed for JSON only; for Avro and "
            "Protobuf write it by hand (streaming/README.md, Encodings)"
        )
    objects = [one for _, one in found]
    known = columns(objects)
    event_type = type_of(objects, [*known.kept])
    own = [name for name in known.kept if name not in ENVELOPE.fieldNames()]
    fields = tuple(one for one in (_field(name, objects) for name in own) if one)
    return Proposal(
        topic,
        len(records),
        len(objects),
        id_of(objects, [*known.kept]),
        time_of(objects, [*known.kept]),
        event_type,
        key_of(found, [one.name for one in fields]),
        fields,
        _required(objects, event_type, fields),
        known.left_out,
        sum(is_int(one.get("schema_version")) for one in objects) / len(objects),
        _examples(objects, event_type, fields),
    )


def _decoded(value: bytes | None) -> Any:
    try:
        return None if value is None else strict_json.decoded(value)
    except (ValueError, RecursionError):
        return None


def _field(name: str, objects: Sequence[Object]) -> Field | None:
    """None of a field that is null everywhere: nothing is known of it."""
    values = values_of(objects, name)
    if not values:
        return None
    kind = kind_of(values)
    own = [value for value in values if has(value, kind.ddl)]
    rule = (
        of_numbers(own) if kind.ddl == "bigint" else of_texts(own) if kind.ddl == "string" and _are_texts(own) else None
    )
    return Field(name, kind.ddl, kind.python, len(values) / len(objects), kind.fits / len(values), rule)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _required(
    objects: Sequence[Object], event_type: Guess | None, fields: Sequence[Field]
) -> Mapping[str, tuple[str, ...]]:
    """By event type; all events are of the type "" where no field says it."""
    kinds = [one.get(event_type.field) if event_type else "" for one in objects]
    counts = Counter(kind for kind in kinds if isinstance(kind, str))
    return {
        kind: tuple(
            field.name
            for field in fields
            if sum(one.get(field.name) is not None for one, own in zip(objects, kinds, strict=True) if own == kind)
            >= MOSTLY * count
        )
        for kind, count in sorted(counts.items())
    }


def _examples(objects: Sequence[Object], event_type: Guess | None, fields: Sequence[Field]) -> dict[str, Object]:
    found: dict[str, Object] = {}
    for one in objects:
        kind = one.get(event_type.field) if event_type else ""
        own = {field.name: one[field.name] for field in fields if one.get(field.name) is not None}
        if (
            isinstance(kind, str)
            and kind not in found
            and all(_fits(field, own[field.name]) for field in fields if field.name in own)
        ):
            found[kind] = own
    return found


def _fits(field: Field, value: Any) -> bool:
    if not has(value, field.ddl):
        return False
    if field.rule is None:
        return True
    low, high = field.rule.arguments[0], field.rule.arguments[-1]
    return bool(re.fullmatch(str(low), value)) if field.rule.call == "matches" else int(low) <= value <= int(high)
