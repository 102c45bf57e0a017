"""A value of more than a MB comes to the tables whole, and Spark has seen its beginning only: with the reasons of the whole."""

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from infra.lake.rows import frame
from streaming.contracts import CONTRACTS
from streaming.micro_batch import long_values
from streaming.micro_batch.long_values import BEGINNING, LONG, restored
from streaming.micro_batch.rate import SIZE, sized
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate

pytestmark = pytest.mark.slow


def records(spark: SparkSession, values: dict[str, bytes]) -> Any:
    rows = [
        {"topic": topic, "partition": 0, "offset": 0, "key": b"k", "value": value} for topic, value in values.items()
    ]
    return frame(spark, rows, RECORD)


def test_a_long_values_beginning_has_the_reasons_of_the_whole(spark: SparkSession) -> None:
    long = records(spark, dict.fromkeys(CONTRACTS, b'{"a":"' + b"x" * LONG + b'"}'))
    whole = validate(long).select("topic", "reasons").toArrow().sort_by("topic")
    short = validate(sized(long)).toArrow().sort_by("topic")
    assert short.select(["topic", "reasons"]) == whole
    lengths = dict(zip(short["topic"].to_pylist(), map(len, short["value"].to_pylist()), strict=True))
    captured = {one.topic for one in CONTRACTS.values() if one.captured}
    assert {topic for topic, length in lengths.items() if length == BEGINNING} == CONTRACTS.keys() - captured
    assert all(lengths[topic] > LONG for topic in captured)


def test_what_was_shortened_is_read_whole_and_nothing_else(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [b"y" * LONG, b"x" * (LONG + 1), b"x" * BEGINNING, None]
    asked: list[Any] = []

    def log(_: SparkSession, s: Any, places: list[Any]) -> dict[Any, bytes | None]:
        asked.extend(places)
        return {place: values[place[2]] for place in places}

    # The log's own answer is read beside a real broker, by test_02_poison.
    monkeypatch.setattr(long_values, "values_at", log)
    rows = [{"topic": "orders", "partition": 0, "offset": n, "value": value} for n, value in enumerate(values)]
    found = sized(frame(spark, rows, RECORD)).toArrow()
    assert [len(value or b"") for value in found["value"].to_pylist()] == [LONG, BEGINNING, BEGINNING, 0]
    again: pa.Table = restored(spark, found, SIZE)
    assert asked == [("orders", 0, 1)]
    assert again["value"].to_pylist() == values
    assert again.drop_columns(["value"]) == found.drop_columns(["value"])
    assert again.schema == found.schema
