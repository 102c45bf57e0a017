"""The rules that every record of every topic must keep, in the order of their reasons; a contract adds its own.

Data flow: text -> what is found in it -> Rules
Run: pytest tests/streaming/test_validate.py
"""

from collections.abc import Iterable
from datetime import timedelta
from functools import reduce

from pyspark.sql import Column
from pyspark.sql import functions as F

from infra import event_time
from streaming.contracts.contract import ENVELOPE, RAW, UUID, Contract, Rule, Version
from streaming.contracts.surrogates import has_lone_surrogate
from streaming.encodings.as_json import BINARY, FAULTS, oversize
from streaming.reasons import Reason

STRICT_JSON = {
    "mode": "PERMISSIVE",
    "columnNameOfCorruptRecord": "_corrupt",
    "allowSingleQuotes": "false",
    "allowNonNumericNumbers": "false",
}
OBJECT = "is struct<event_id string>"
"""A schema that detects a JSON object. Unlike Spark's other JSON functions, from_json has a strict mode."""
AHEAD = f"INTERVAL {event_time.AHEAD // timedelta(minutes=1)} MINUTES"
OLDEST = f"INTERVAL {event_time.OLDEST.days} DAYS"
LAST_MILLISECOND = 253_402_300_799_999
"""9999-12-31, the last day a Spark timestamp prints; beyond it the cast would throw."""


def found_in(text: Column) -> Column:
    """What decoding hides of the text: struct of `names` (fields), `is_object`, `is_other` (JSON), `is_blank`."""
    bare = F.trim(F.translate(text, "\t\r\n", "   "))
    # Spark's decoders stop after the first value. So the text is decoded twice, inside an array and inside an object:
    # text after the value is an error unless it closes the array or the object, and it cannot close both.
    one_value = F.json_array_length(F.concat(F.lit("["), text, F.lit("]"))) == 1
    closed = F.from_json(F.concat(F.lit('{"is":'), text, F.lit("}")), OBJECT, STRICT_JSON)["is"].isNotNull()
    in_braces = bare.startswith("{")
    return F.struct(
        F.json_object_keys(text).alias("names"),
        F.coalesce(in_braces & one_value & closed, F.lit(False)).alias("is_object"),
        (~in_braces & F.coalesce(one_value, F.lit(False))).alias("is_other"),
        (bare == "").alias("is_blank"),
    )


def is_believable(time: Column, arrival: Column) -> Column:
    """Is the time neither further ahead of the arrival, nor older, than a producer's right clock can make it?"""
    return (time <= arrival + F.expr(AHEAD)) & (time >= arrival - F.expr(OLDEST))


def rules(contract: Contract, found: Column) -> list[Rule]:
    """All rules of a topic over its decoded records. Rules of writing also read `found`, from `found_in`."""
    text, value, time, names = F.col(RAW), F.col("value"), F.col("time"), found["names"]

    def of_writing(reason: Reason, broken: Column) -> Rule:
        return Rule(reason, lambda _: broken, is_of_writing=True)

    return [
        of_writing(Reason.TOMBSTONE, value.isNull()),
        of_writing(Reason.EMPTY, found["is_blank"]),
        of_writing(Reason.OVERSIZE, oversize(contract)),
        of_writing(Reason.INVALID_UTF8, ~F.is_valid_utf8(text)),
        *_faults(contract),
        of_writing(Reason.NOT_JSON, ~found["is_blank"] & ~found["is_object"] & ~found["is_other"]),
        of_writing(Reason.NOT_AN_OBJECT, ~found["is_blank"] & found["is_other"]),
        Rule(Reason.MISSING_FIELD, lambda event: _is_incomplete(contract, event)),
        Rule(Reason.UNKNOWN_FIELD, lambda event: _names_unknown(contract, event, names), is_of_writing=True),
        of_writing(Reason.DUPLICATE_FIELD, F.size(names) != F.size(F.array_distinct(names))),
        Rule(Reason.WRONG_TYPE, lambda event: found["is_object"] & event["_corrupt"].isNotNull(), is_of_writing=True),
        of_writing(Reason.LONE_SURROGATE, found["is_object"] & has_lone_surrogate(text)),
        Rule(Reason.BAD_FORMAT, lambda event: ~event["event_id"].rlike(f"^(?:{UUID})\\z")),
        Rule(Reason.UNKNOWN_TYPE, lambda event: ~event["event_type"].isin(*contract.required)),
        Rule(Reason.UNKNOWN_VERSION, lambda event: _is_of_unknown_version(contract, event)),
        Rule(Reason.OUT_OF_RANGE, lambda _: ~F.col("in_time_range")),
        Rule(Reason.KEY_MISSING, lambda _: F.col("key").isNull()),
        Rule(Reason.KEY_MISMATCH, lambda event: F.col("key").cast("string") != contract.kafka_key(event)),
        Rule(Reason.FUTURE, lambda _: time > F.col("arrival") + F.expr(AHEAD)),
        Rule(Reason.TOO_OLD, lambda _: time < F.col("arrival") - F.expr(OLDEST)),
        *[_is_ahead_of_its_version(later) for later in contract.later],
        *contract.all_rules,
    ]


def _faults(contract: Contract) -> Iterable[Rule]:
    """A binary value that cannot be decoded."""
    for reason in FAULTS.get(contract.encoding, ()):
        broken = F.col(BINARY)["fault"] == reason.value
        yield Rule(reason, lambda _, broken=broken: broken, is_of_writing=True)  # type: ignore[misc]


def _names_unknown(contract: Contract, event: Column, names: Column) -> Column:
    """Has the event a field that its version does not have? Of an unknown version, the contract's newest one counts."""
    known = F.lit(contract.schema.fieldNames())
    for later in reversed(contract.later):
        before = F.lit(contract.at(later.number - 1).schema.fieldNames())
        known = F.when(event["schema_version"] < later.number, before).otherwise(known)
    unknown = F.size(F.array_except(names, known)) > 0
    return unknown & (event["schema_version"] <= contract.newest) if contract.reads_newer else unknown


def _is_ahead_of_its_version(later: Version) -> Rule:
    """The event has a field of a version later than its own. Unlike names, it is seen on the fast path too."""
    return Rule(
        Reason.UNKNOWN_FIELD,
        lambda event: (
            (event["schema_version"] < later.number)
            & reduce(lambda one, other: one | other, [event[name].isNotNull() for name in later.adds])
        ),
    )


def _is_of_unknown_version(contract: Contract, event: Column) -> Column:
    unknown = ~event["schema_version"].isin(*contract.versions)
    return unknown & (event["schema_version"] < contract.newest) if contract.reads_newer else unknown


def _is_incomplete(contract: Contract, event: Column) -> Column:
    def lacks(fields: Iterable[str]) -> Column:
        return reduce(lambda one, other: one | other, [event[field].isNull() for field in fields])

    per_type = [(event["event_type"] == kind) & lacks(fields) for kind, fields in contract.required.items()]
    return reduce(lambda one, other: one | other, [lacks(ENVELOPE.fieldNames()), *per_type])
