"""Orders in two encodings: what they say as JSON, and the same in another.

Data flow: the corpus of broken and near-broken orders, an hour of the shop -> key, JSON, the other encoding's bytes
Run: pytest tests/streaming/test_avro.py tests/streaming/test_protobuf.py
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from corpus import Record, neighbours, order, poison
from pyspark.sql import DataFrame, Row, SparkSession

from infra.shop.faults import Faults
from infra.shop.run import Run
from streaming.contracts.contract import Contract
from streaming.shop.contracts.orders import ORDERS
from streaming.tables.bronze import RECORD
from streaming.tables.silver import topic_events
from streaming.validation.validate import validate_by

NOW_MS = 1_780_000_000_000
PLAIN = order("plain", NOW_MS)
ITEM = PLAIN["items"][0].keys()
Twin = tuple[bytes | None, bytes, bytes]


def rows(spark: SparkSession, records: list[tuple[bytes | None, bytes | None]]) -> DataFrame:
    """Keys and values as records of orders."""
    arrival = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    found = [("orders", 0, place, arrival, key, value, None) for place, (key, value) in enumerate(records)]
    return spark.createDataFrame(found, RECORD)


def reasons(spark: SparkSession, contract: Contract, *values: bytes | None) -> list[list[str]]:
    """Why each value is refused."""
    found = validate_by(rows(spark, [(PLAIN["order_id"].encode(), value) for value in values]), (contract,))
    return [row["reasons"] for row in found.orderBy("offset").collect()]


def twins(encode: Callable[[Mapping[str, Any]], bytes]) -> list[Twin]:
    """Every order that `encode` can say; it raises ValueError for the others."""
    shop = Run(
        NOW_MS - 3_600_000, NOW_MS, 1.0, 1, NOW_MS, Faults(duplicates=0, late=0, malformed=0, future=0)
    ).records()
    sources = [*poison(NOW_MS), *neighbours(NOW_MS), *(Record("", one.topic, one.key, one.value) for one in shop)]
    found = []
    for one in sources:
        # These are about how the JSON is written.
        of_writing = {"duplicate_field", "oversize", "not_json", "invalid_utf8"}
        if one.topic != "orders" or one.value is None or one.reasons & of_writing:
            continue
        try:
            event = json.loads(one.value)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            with suppress(ValueError):
                found.append((one.key, one.value, encode(event)))
    return found


def without_nulls(event: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: value for name, value in event.items() if value is not None}


def assert_alike(spark: SparkSession, encode: Callable[[Mapping[str, Any]], bytes], other: Contract) -> None:
    """Every order that `encode` can say has by `other` the outcome and the event of its twin in JSON, in fewer bytes."""
    pairs = twins(encode)

    def read(contract: Contract, which: int) -> tuple[list[Row], list[Row]]:
        found = validate_by(rows(spark, [(pair[0], pair[which]) for pair in pairs]), (contract,)).orderBy("offset")
        return found.drop("value", "orders", "content_hash").collect(), topic_events(found, "orders").collect()

    (as_json, events), (as_other, same_events) = read(ORDERS, 1), read(other, 2)
    assert events == same_events
    for one, its_twin in zip(as_json, as_other, strict=True):
        assert one.asDict() | {"reasons": set(one["reasons"])} == its_twin.asDict() | {
            "reasons": set(its_twin["reasons"])
        }
    assert sum(not row["reasons"] for row in as_json) > 500
    assert len(set().union(*(row["reasons"] for row in as_json))) >= 8, "bad twins are shown too"
    assert sum(len(pair[2]) for pair in pairs) < 0.6 * sum(len(pair[1]) for pair in pairs)
