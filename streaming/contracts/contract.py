"""What a contract is: the payload's columns, the key, and the rules an event must keep.

Data flow: record value (bytes) -> Contract -> typed event or reasons
Run: pytest tests/streaming/test_contracts.py
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StringType, StructField, StructType

from infra.field_types import check_fields
from infra.lake.columns import plain_field
from streaming.contracts.captured import Captured
from streaming.contracts.faults import check_names
from streaming.contracts.json_string import is_string
from streaming.contracts.surrogates import without_surrogates
from streaming.reasons import Reason

ENVELOPE = StructType(
    [
        StructField("event_id", StringType()),
        StructField("event_type", StringType()),
        StructField("event_time", LongType()),
        StructField("schema_version", IntegerType()),
    ]
)
"""The fields that every event of every topic has; `event_time` is epoch milliseconds, UTC."""

RAW = "text"
"""The column of validated records that holds the value as text."""

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
"""A UUID in lower case, as a pattern for `matches`."""


def column_of(topic: str) -> str:
    """A topic as the name of a column and of dbt models: Kafka allows dots and hyphens in it."""
    return re.sub(r"\W", "_", topic)


@dataclass(frozen=True)
class Rule:
    """`broken(event)` is true where the event breaks the rule; null (a field is missing) is not broken.

    `is_of_writing` marks a rule about how the JSON is written (e.g. a field given twice), which decoding hides. Such a
    rule reads the raw JSON in column RAW. It is not checked for records on the fast path (`streaming.validation.fast_path`),
    which keep it.

    `field` and `holds`: of a rule about one field, what it asks of a value, in Python: masking keeps to it.
    """

    reason: Reason
    broken: Callable[[Column], Column]
    is_of_writing: bool = False
    field: str | None = None
    holds: Callable[[Any], bool] | None = None

    def __post_init__(self) -> None:
        check_fields(self, "Rule")

    def about(self, field: str, holds: Callable[[Any], bool]) -> "Rule":
        """The same rule, which is about this field alone."""
        return replace(self, field=field, holds=holds)


@dataclass(frozen=True)
class Version:
    """A later version of a contract: it adds optional payload fields, and rules about them. It changes nothing else.

    `adds`: names of payload fields, top-level ones. `defaults`: the value that readers see where an event lacks the field
    (JSON: a string, a number or a boolean); null for fields that are not in it.
    """

    number: int
    adds: tuple[str, ...]
    defaults: Mapping[str, str | int | bool] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self, f"Version {self.number}")


@dataclass(frozen=True)
class Contract:
    """A topic's events: payload columns beside the envelope, required fields per event type, rules.

    `payload` has the fields of all versions. `rules` are those of version 1; each of the `later` versions adds its own.

    An event is held to the fields of its own `schema_version`: one of version 1 that has a field of version 2 is rejected
    (unknown_field). An event of a version that the contract does not know is rejected too (unknown_version), and stays
    in quarantine with its bytes until the contract knows the version; then a night redoes the days that it touches. With
    `reads_newer` such an event is accepted, and the fields that the contract does not know are left out. Then a new
    version redoes every settled day, because the same records now say more.

    `encoding`: how values are written: as JSON; as Avro single objects, or as Protobuf messages, by the schemas in `schemas/`; or
    as Debezium's change events of a table, which `captured` describes.

    `masked`: payload fields that `daybreak sample` gives as pseudonyms. No version of a definition depends on it.

    Raises ValueError, which names the field, for one of another type, and if it names what there is not (faults.py).
    """

    topic: str
    description: str
    key: str
    payload: StructType
    required: Mapping[str, tuple[str, ...]]
    rules: tuple[Rule, ...]
    later: tuple[Version, ...] = ()
    reads_newer: bool = False
    encoding: Literal["json", "avro", "protobuf", "debezium"] = "json"
    captured: Captured | None = None
    masked: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self, f"contract {self.topic}")
        check_names(self)

    def kafka_key(self, event: Column) -> Column:
        """What the record's key must be, as text: the event's key; Debezium writes a primary key as JSON."""
        if self.captured is None:
            return event[self.key]
        whole = F.to_json(F.struct(*[event[name].alias(name) for name in self.captured.key]))
        # Null, like the rest of an event that could not be decoded.
        return F.when(event[self.key].isNotNull(), whole)

    @property
    def column(self) -> str:
        """The topic as the name of a column and of dbt models."""
        return column_of(self.topic)

    @property
    def schema(self) -> StructType:
        """Envelope and payload fields of the JSON object, without column comments."""
        return StructType([*ENVELOPE.fields, *(plain_field(field) for field in self.payload)])

    @property
    def versions(self) -> tuple[int, ...]:
        """The schema versions that the contract knows, oldest first."""
        return (1, *(one.number for one in self.later))

    @property
    def newest(self) -> int:
        """The last of `versions`."""
        return self.versions[-1]

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        """The rules of all versions. A rule about a field that an event lacks is not broken."""
        return self.rules + tuple(rule for one in self.later for rule in one.rules)

    @property
    def defaults(self) -> Mapping[str, str | int | bool]:
        """What readers see of fields that an event lacks, by the field's name."""
        return {name: value for one in self.later for name, value in one.defaults.items()}

    def at(self, version: int) -> "Contract":
        """The contract as it was when `version` was its newest."""
        kept = tuple(one for one in self.later if one.number <= version)
        gone = {name for one in self.later if one.number > version for name in one.adds}
        payload = StructType([field for field in self.payload if field.name not in gone])
        return replace(self, payload=payload, later=kept, masked=tuple(one for one in self.masked if one not in gone))


def matches(field: str, pattern: str) -> Rule:
    """The whole of `field` matches `pattern`."""
    rule = Rule(Reason.BAD_FORMAT, lambda event: ~event[field].rlike(f"^(?:{pattern})\\z"))
    return rule.about(field, lambda value: bool(re.fullmatch(pattern, value)))


def is_text(field: str) -> Rule:
    """`field` is a JSON string, which may be empty. Decoding alone would accept a number or an object, as text."""

    def broken(event: Column) -> Column:
        # Only this field is parsed as a variant, so a duplicate name elsewhere does not matter. An object with a
        # duplicate name is not a valid variant and gives null. A string is always valid once its surrogates are
        # replaced.
        written = F.from_json(without_surrogates(F.col(RAW)), f"`{field}` variant")[field]
        return event[field].isNotNull() & F.exists(F.array(written), lambda value: ~is_string(value))

    return Rule(Reason.WRONG_TYPE, broken, is_of_writing=True)


def between(field: str, low: int, high: int) -> Rule:
    """`low <= field <= high`."""
    rule = Rule(Reason.OUT_OF_RANGE, lambda event: ~event[field].between(low, high))
    return rule.about(field, lambda value: low <= value <= high)


def length_between(field: str, low: int, high: int) -> Rule:
    """`field` has at least `low` and at most `high` characters."""
    rule = Rule(Reason.OUT_OF_RANGE, lambda event: ~F.length(event[field]).between(low, high))
    return rule.about(field, lambda value: low <= len(value) <= high)


def size_between(array: str, low: int, high: int) -> Rule:
    """`array` has at least `low` and at most `high` elements."""
    return Rule(Reason.OUT_OF_RANGE, lambda event: ~F.size(event[array]).between(low, high))


def elements_match(array: str, pattern: str) -> tuple[Rule, Rule]:
    """No element of `array`, an array of strings, is null, and the whole of each matches `pattern`."""
    return (
        Rule(Reason.MISSING_FIELD, lambda event: F.exists(event[array], lambda element: element.isNull())),
        Rule(
            Reason.BAD_FORMAT,
            lambda event: F.exists(event[array], lambda element: ~element.rlike(f"^(?:{pattern})\\z")),
        ),
    )
