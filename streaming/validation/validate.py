"""Validate records by their contracts: decode valid records, and name every reason of the others.

Data flow: bronze rows -> typed columns, `content_hash` and `reasons` (empty = valid)
Run: pytest tests/streaming/test_validate.py
"""

from collections.abc import Callable, Collection
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from streaming.contracts import CONTRACTS
from streaming.contracts.contract import RAW, Contract, Rule
from streaming.encodings.as_json import is_short_enough, json_text, with_binary
from streaming.reasons import Reason
from streaming.validation.content import content_hash, said, written
from streaming.validation.fast_path import is_as_written, is_ordinary, is_provable
from streaming.validation.rules import LAST_MILLISECOND, STRICT_JSON, found_in, is_believable, rules

Way = Callable[[Contract], Column]
"""A column over the records of a contract's topic."""


def validate(records: DataFrame) -> DataFrame:
    """Validate records (topic, partition, offset, arrival, key, value, headers).

    Adds event_id, event_type, event_time, schema_version, one struct column per topic, content_hash, reasons.
    No payload can make it throw: every cast is a `try_` function or guarded. It reads its input once.
    """
    return validate_by(records, CONTRACTS.values())


def validate_by(
    records: DataFrame, contracts: Collection[Contract], fast: bool = True, compares: bool = True
) -> DataFrame:
    """`validate` by some contracts; records of other topics are left out.

    Not `fast`, every record takes the slow path. Without `compares` the signs of every text are counted, also of one that is
    written as Spark does: the plan that the version of a contract is a hash of (streaming/versions/definitions.py).

    Each `withColumns` is a projection of its own: otherwise Spark would decode again at every use of a decoded column.
    """

    def by_topic(way: Way) -> Column:
        return reduce(lambda found, one: found.when(_is_of(one), way(one)), contracts, F)  # type: ignore[return-value]

    readable = F.col("value").isNotNull() & is_short_enough(contracts)
    millis = F.coalesce(*[_event(one)["event_time"] for one in contracts])
    own = records.where(F.col("topic").isin(*[one.topic for one in contracts]))
    parsed = (
        with_binary(own, contracts)
        .withColumn(RAW, F.when(readable, json_text(contracts)))
        .withColumns(
            {
                decoded_column(one): F.when(_is_of(one), F.from_json(RAW, _with_corrupt(one), STRICT_JSON))
                for one in contracts
            }
        )
        .withColumns(
            {
                "again": by_topic(_written),
                "in_time_range": millis.between(0, LAST_MILLISECOND),
                "time": F.when(millis.between(0, LAST_MILLISECOND), F.timestamp_millis(millis)),
            }
        )
    )
    if captured := [one.topic for one in contracts if one.captured]:
        parsed = parsed.withColumns(_of_facts(F.col("topic").isin(*captured)))
    texts = F.col(RAW), F.col("again")
    ordinary = is_as_written(*texts) | is_ordinary(*texts) if compares else is_ordinary(*texts)
    faultless = ordinary & by_topic(_keeps_value_rules)
    none = F.array().cast("array<string>")
    # Inside a lambda, reasons are computed only for records that need them; plain columns would be for every record.
    named = F.transform(F.array(found_in(F.col(RAW))), lambda found: by_topic(lambda one: _reasons(one, found)))[0]
    return parsed.select(
        *records.columns,
        F.coalesce(*[_event(one)["event_id"] for one in contracts]).alias("event_id"),
        F.coalesce(*[_event(one)["event_type"] for one in contracts]).alias("event_type"),
        F.col("time").alias("event_time"),
        F.coalesce(*[_event(one)["schema_version"] for one in contracts]).alias("schema_version"),
        *[F.when(_is_of(one), _payload(one)).alias(one.column) for one in contracts],
        content_hash(_content(contracts)).alias("content_hash"),
        (F.when(faultless, none).otherwise(named) if fast else named).alias("reasons"),
    )


def _of_facts(is_captured: Column) -> dict[str, Column]:
    """A captured change is a fact, whatever its database's clock says: a time that cannot be is replaced by the arrival's."""
    time, arrival, is_dated = F.col("time"), F.col("arrival"), F.col("in_time_range").isNotNull()
    cannot_be = ~F.coalesce(is_believable(time, arrival), F.lit(False))
    return {
        "in_time_range": is_captured | F.col("in_time_range"),
        "time": F.when(is_captured & is_dated & cannot_be, arrival).otherwise(time),
    }


def _is_of(contract: Contract) -> Column:
    return F.col("topic") == contract.topic


def _event(contract: Contract) -> Column:
    """The decoded event of a record of the contract's topic; null for other records."""
    return F.col(f"`{decoded_column(contract)}`")


def decoded_column(contract: Contract) -> str:
    """The column of a record's decoded event."""
    return f"{contract.topic} decoded"


def _with_corrupt(contract: Contract) -> str:
    return f"{contract.schema.toDDL()}, _corrupt string"


def _written(contract: Contract) -> Column:
    event = _event(contract)
    return F.when(event["_corrupt"].isNull(), written(event))


def _payload(contract: Contract) -> Column:
    return F.struct(*[_event(contract)[field].alias(field) for field in contract.payload.fieldNames()])


def _content(contracts: Collection[Contract]) -> Column:
    found = F.col("again")
    for one in contracts:
        if one.captured:
            fields = {name: _event(one)[name] for name in one.schema.fieldNames()}
            found = F.when(_is_of(one), said(one, fields)).otherwise(found)
    return found


def _keeps_value_rules(contract: Contract) -> Column:
    """Does a record on the fast path keep the rules about values? The fast path proves the rules about writing, if it can."""
    if not is_provable(contract.schema):
        return F.lit(False)
    broken = [_broken(rule, contract, F.lit(True)) for rule in rules(contract, F.lit(None)) if not rule.is_of_writing]
    return ~F.coalesce(reduce(lambda one, other: one | other, broken), F.lit(False))


def _reasons(contract: Contract, found: Column) -> Column:
    reasons = [F.when(broken, F.lit(reason.value)) for reason, broken in broken_rules(contract, found)]
    return F.array_distinct(F.array_compact(F.array(*reasons)))


def broken_rules(contract: Contract, found: Column) -> list[tuple[Reason, Column]]:
    """Every rule of a topic as its reason, and whether a decoded record breaks it; `found` as `found_in` gives it."""
    whole = found["is_object"] & _event(contract)["_corrupt"].isNull()
    return [(rule.reason, _broken(rule, contract, whole)) for rule in rules(contract, found)]


def _broken(rule: Rule, contract: Contract, whole: Column) -> Column:
    """A value of the wrong type decodes to null, which must not count as a missing field or an unknown type."""
    broken = rule.broken(_event(contract))
    return whole & broken if rule.reason in (Reason.MISSING_FIELD, Reason.UNKNOWN_TYPE) else broken
