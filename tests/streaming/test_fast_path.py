"""The short way of an ordinary record and the long way that names reasons agree, and the long way is taken only when needed."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import pytest
from corpus import KEY, Record, encoded, neighbours, order, poison
from mutated import mutated
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DoubleType, LongType, MapType, StringType, StructField, StructType

from infra.shop.faults import Faults
from infra.shop.run import Run
from infra.spark_conf import INTERPRETED
from streaming.contracts import CONTRACTS
from streaming.tables.bronze import RECORD
from streaming.validation import validate as module
from streaming.validation.fast_path import is_provable
from streaming.validation.validate import validate, validate_by

NOW_MS = 1_780_000_000_000
SOURCES = [*neighbours(NOW_MS), *poison(NOW_MS)]
COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}


def rows(spark: SparkSession, records: list[Record]) -> DataFrame:
    arrival = datetime.fromtimestamp(NOW_MS / 1000, UTC)
    found = [(one.topic, 0, place, arrival, one.key, one.value, None) for place, one in enumerate(records)]
    return spark.createDataFrame(found, RECORD)


def sent_by_shop() -> list[Record]:
    """What the shop sends in some hours, without faults: events of every type."""
    faults = Faults(duplicates=0, late=0, malformed=0, future=0)
    sent = Run(NOW_MS - 18_000_000, NOW_MS, 0.2, 1, NOW_MS, faults).records()
    return [Record(json.loads(one.value or b"")["event_type"], one.topic, one.key, one.value) for one in sent]


def decided_by_the_order_service() -> list[Record]:
    """Events of orders that the shop itself never sends."""
    kinds = ("items_added", "order_shipped")
    return [Record(kind, "orders", KEY, encoded(order(kind, NOW_MS, event_type=kind))) for kind in kinds]


@pytest.fixture(params=[COMPILED, INTERPRETED], ids=["compiled", "interpreted"])
def way(spark: SparkSession, request: pytest.FixtureRequest) -> Iterator[Mapping[str, str]]:
    for name, value in request.param.items():
        spark.conf.set(name, value)
    yield request.param
    for name, value in COMPILED.items():
        spark.conf.set(name, value)


@pytest.mark.slow
def test_whatever_is_sent_the_short_way_says_what_the_long_way_says(spark: SparkSession) -> None:
    of_each_type = {one.name: one for one in (*sent_by_shop(), *decided_by_the_order_service())}
    assert set(of_each_type) == {kind for contract in CONTRACTS.values() for kind in contract.required}
    good = [*(one for one in SOURCES if not one.reasons), *of_each_type.values()]
    records = [*SOURCES, *mutated(1, good, 3_000), *mutated(2, SOURCES, 2_000)]
    sent = rows(spark, records)
    short = {row["offset"]: row for row in validate(sent).collect()}
    long = {row["offset"]: row for row in validate_by(sent, CONTRACTS.values(), fast=False).collect()}
    differing = [(one.name, one.value, short[at], long[at]) for at, one in enumerate(records) if short[at] != long[at]]
    assert differing == []
    assert sum(not row["reasons"] for row in long.values()) > 300, "nothing is shown by records that are all bad"


@pytest.mark.slow
def test_ordinary_records_are_never_asked_how_they_are_written(
    spark: SparkSession, way: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = F.struct(
        F.raise_error(F.lit("asked")).cast("array<string>").alias("names"),
        *[F.raise_error(F.lit("asked")).cast("boolean").alias(name) for name in ("is_object", "is_other", "is_blank")],
    )
    monkeypatch.setattr(module, "found_in", lambda text: asked)
    plain = sent_by_shop()
    wide = [one._replace(value=one.value.replace(b",", b", ").replace(b":", b": ")) for one in plain if one.value]
    found = validate(rows(spark, plain + wide)).collect()
    assert len(found) == len(plain) + len(wide) > 500
    assert all(row["reasons"] == [] for row in found)
    with pytest.raises(Exception, match="asked"):
        validate(rows(spark, [one for one in SOURCES if one.name == "extra_field"])).collect()


def test_types_that_spark_may_write_longer_than_they_came_prove_nothing() -> None:
    assert all(is_provable(contract.schema) for contract in CONTRACTS.values())
    for kind in (DoubleType(), MapType(StringType(), LongType())):
        assert not is_provable(StructType([StructField("a", ArrayType(StructType([StructField("b", kind)])))]))


def test_the_input_is_read_once(spark: SparkSession) -> None:
    """Two reads of a stream may end at different offsets."""
    plan = validate(rows(spark, SOURCES))._jdf.queryExecution().optimizedPlan()
    assert plan.collectLeaves().size() == 1
