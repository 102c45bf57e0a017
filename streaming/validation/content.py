"""The content of an event as one text and as a hash: two events say the same exactly if these are equal.

Data flow: decoded event -> JSON -> `content_hash`; silver's columns -> the same hash again
Run: pytest tests/streaming/test_content.py

A hash of the columns themselves would not do: Spark's skip nulls and forget where an array ends, so that a value in another field
hashes alike. In JSON each value has its name and its end. Nulls are left out: a contract that gets a field changes no hash.
"""

from collections.abc import Collection, Mapping
from functools import reduce
from typing import cast

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from streaming.contracts.contract import ENVELOPE, Contract

EXACT = {
    "ignoreNullFields": "true",
    # Otherwise Spark cuts times to milliseconds.
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
}


def written(event: Column) -> Column:
    """The event as JSON, in the shortest form."""
    return F.to_json(event, EXACT)


def content_hash(text: Column) -> Column:
    """64 bits of an event's topic and of its text, `written`. Null (it could not be decoded) hashes like any other null."""
    return F.xxhash64("topic", text)


def said(contract: Contract, values: Mapping[str, Column]) -> Column:
    """An event as text, from its fields by name. A captured change is told by its id, and may have been given another time."""
    left_out = {"event_time"} if contract.captured else set()
    return written(F.struct(*[value.alias(name) for name, value in values.items() if name not in left_out]))


def rehashed(events: DataFrame, contracts: Collection[Contract]) -> Column:
    """Over stored events (columns of silver.EVENT): the hash that `validate` gives the same event now.

    Null for a topic without a contract. A table may still lack what a contract has got since: it has no such events.
    """
    stored = events.schema

    def own(contract: Contract) -> Column:
        there = cast(StructType, stored[contract.column].dataType).fieldNames()
        names = [name for name in contract.payload.fieldNames() if name in there]
        envelope = {name: F.col(name) for name in ENVELOPE.fieldNames()} | {"event_time": F.unix_millis("event_time")}
        return content_hash(said(contract, envelope | {name: F.col(contract.column)[name] for name in names}))

    known = [one for one in contracts if one.column in stored.names]
    nothing = F.when(F.lit(False), F.lit(None).cast("long"))
    return reduce(lambda found, one: found.when(F.col("topic") == one.topic, own(one)), known, nothing)


def comparable(events: DataFrame, contracts: Collection[Contract], versions: Mapping[str, str]) -> DataFrame:
    """Stored events (columns of silver.EVENT) with hashes that compare with those of `validate`.

    What another version of a contract wrote may have been hashed in another way, so it is hashed anew; of a topic without a
    contract the hash stays as it is. `versions`: those in force.
    """
    in_force = F.col("definition").isin(*sorted(set(versions.values())))
    again = F.coalesce(rehashed(events, contracts), "content_hash")
    return events.withColumn("content_hash", F.when(in_force, F.col("content_hash")).otherwise(again))
