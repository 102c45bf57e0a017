"""Two contents of one event never hash alike, and one content always does, in whichever layer and table it stands."""

import itertools
import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, BooleanType, DataType, DecimalType, MapType, StringType, StructType

from infra.lake.columns import column, struct
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.deduplication.deduplicate import outcomes
from streaming.deduplication.event_ids import nothing_known
from streaming.micro_batch import outcomes as arrivals
from streaming.reasons import Outcome
from streaming.tables.bronze import RECORD
from streaming.validation.content import rehashed
from streaming.validation.validate import validate_by

NOW_MS = 1_780_000_000_000
ID = "7b0c2f7e-1f52-4c39-9a53-8e9f2a6a1c01"
EACH = 400
TEXTS = ("", "a", "b", "ab", '"', "null", "1", "caf\u00e9", "cafe\u0301")
OTHERS: dict[str, tuple[Any, ...]] = {
    "bigint": (0, 1, -1, 2**63 - 1, -(2**63)),
    "int": (0, 1, -1, 2**31 - 1),
    "double": (0.0, -0.0, 1.0, 1.0000000000000002, 1e300),
    "decimal(20,2)": (0, 1, 1.01, -1),
    "timestamp": ("2026-01-31T12:00:00.000001Z", "2026-01-31T12:00:00.000002Z", "1969-12-31T23:59:59.999999Z"),
    "date": ("2026-01-31", "0001-01-01", "9999-12-31"),
}
EVERY_KIND = Contract(
    topic="kinds",
    description="Fields of every type, with neighbours that a hash may run together.",
    key="key",
    payload=struct(
        column("key", "string", ""),
        column("one", "array<string>", ""),
        column("other", "array<string>", ""),
        column("nested", ArrayType(ArrayType(StringType())), ""),
        column("inner", struct(column("a", "string", ""), column("b", "string", "")), ""),
        column("after", "string", ""),
        column("shared", "double", ""),
        column("exact", DecimalType(20, 2), ""),
        column("at", "timestamp", ""),
        column("on", "date", ""),
        column("is_so", "boolean", ""),
        column("named", "map<string,string>", ""),
    ),
    required={"written": ("key",)},
    rules=(),
)


def values(kind: DataType) -> Iterator[Any]:
    """Values of a type that are near each other; None is one of them."""
    yield None
    if isinstance(kind, StringType):
        yield from TEXTS
    elif isinstance(kind, BooleanType):
        yield from (False, True)
    elif isinstance(kind, ArrayType):
        few = list(itertools.islice(values(kind.elementType), 6))
        yield from ([list(some) for size in range(4) for some in itertools.product(few[:4], repeat=size)])
    elif isinstance(kind, StructType):
        few_of = [list(itertools.islice(values(field.dataType), 3)) for field in kind]
        yield from (dict(zip(kind.names, some, strict=True)) for some in itertools.product(*few_of))
    elif isinstance(kind, MapType):
        yield from ({}, {"a": "b"}, {"a": None}, {"a": "b", "b": "a"})
    else:
        yield from OTHERS[kind.simpleString()]


def payloads(contract: Contract) -> list[dict[str, Any]]:
    """Each field alone with each of its values, and then any values of any fields."""
    known = {field.name: list(values(field.dataType)) for field in contract.payload}
    alone = [{name: value} for name, some in known.items() for value in some[:40]]
    chance = random.Random(contract.topic)
    mixed = [{name: chance.choice(some) for name, some in known.items()} for _ in range(EACH)]
    return alone + mixed


def records(
    contract: Contract, found: list[dict[str, Any]], kind: str = "", key: bytes = b"k"
) -> list[tuple[Any, ...]]:
    """One event, with each of the payloads."""
    arrival = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    kind = kind or next(iter(contract.required))
    event = {"event_id": ID, "event_type": kind, "event_time": NOW_MS, "schema_version": 1}
    texts = (json.dumps(event | payload, ensure_ascii=False) for payload in found)
    return [(contract.topic, 0, place, arrival, key, text.encode(), None) for place, text in enumerate(texts)]


def exactly(value: Any) -> str:
    """A decoded value as a text that tells apart what Python takes for equal, e.g. -0.0 and 0.0."""
    return repr(value.asDict(True) if isinstance(value, Row) else value)


def test_two_payloads_of_a_contract_never_hash_alike(spark: SparkSession) -> None:
    contracts = [*(one for one in CONTRACTS.values() if one.encoding == "json"), EVERY_KIND]
    sent = spark.createDataFrame([row for one in contracts for row in records(one, payloads(one))], RECORD)
    # A value of a wrong type leaves nothing to be hashed.
    found = validate_by(sent, contracts).where("event_id IS NOT NULL")
    rows = found.withColumn("stored", rehashed(found, contracts)).drop("value", "reasons").collect()
    assert [row for row in rows if row["stored"] != row["content_hash"]] == [], "silver's columns say the same"
    for one in contracts:
        contents: dict[int, set[str]] = {}
        for row in (row for row in rows if row["topic"] == one.topic):
            contents.setdefault(row["content_hash"], set()).add(exactly(row[one.column]))
        assert [alike for alike in contents.values() if len(alike) > 1] == []
        assert len(contents) > 100


def test_a_value_in_another_field_is_a_conflict_in_both_layers(spark: SparkSession) -> None:
    withdrawn = {"product_id": "p-80000001"}
    sent = [withdrawn | {"title": "alpha"}, withdrawn | {"brand": "alpha"}, withdrawn | {"title": "alpha"}]
    products = CONTRACTS["products"]
    rows = spark.createDataFrame(records(products, sent, "product_withdrawn", b"p-80000001"), RECORD)
    found = validate_by(rows, (products,))
    expected = [Outcome.ACCEPTED, Outcome.CONFLICT, Outcome.DUPLICATE]
    by_night = outcomes(found.withColumn("written", F.lit(False))).orderBy("offset")
    assert [row["outcome"] for row in by_night.collect()] == expected
    by_stream = arrivals.in_order(found.toArrow())
    arrived = arrivals.valid(by_stream)
    assert arrivals.outcomes(by_stream, arrived, nothing_known(arrived)).to_pylist() == expected
