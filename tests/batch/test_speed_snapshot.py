"""What the night takes for the stream's answer of a view, above all of one that the stream knows only since its start."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from pyspark.sql import SparkSession

from batch.days.day import Day
from batch.reconciliation.speed_snapshot import finished, snapshot
from infra.failures import PermanentFailure, TransientFailure
from infra.lake import spark_tables
from infra.lake.rows import frame
from infra.lake.tables import Table
from streaming.shop.views.order_totals import ORDER_TOTALS
from streaming.tables.progress import INGEST, PROGRESS, REBUILT
from streaming.tables.speed import speed_table

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("local_lake")]

DAY = Day(date(2026, 1, 30))
NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
SPEED = speed_table(ORDER_TOTALS)


@pytest.fixture
def session(spark: SparkSession, local_lake: Any) -> SparkSession:
    """A lake whose stream has finished micro-batch 7 without the view."""
    for table in (PROGRESS, SPEED):
        spark_tables.create(spark, table)
    put(spark, PROGRESS, batch(7, {"other": "v1"}))
    return spark


def batch(number: int, definitions: dict[str, str]) -> dict[str, Any]:
    return {"query": INGEST, "generation": "g", "batch_id": number, "definitions": list(definitions.items())}


def put(session: SparkSession, table: Table, row: dict[str, Any]) -> None:
    frame(session, [row], table.schema).write.format("delta").mode("append").save(table.path)


def minute(number: int, orders: int, definition: str = "v1") -> dict[str, Any]:
    own = {"window_start": NOON, "day": DAY.date, "orders": orders, "as_of": NOON, "is_removed": False}
    return own | {"generation": "g", "batch_id": number, "definition": definition}


def orders(session: SparkSession) -> list[int]:
    return [row["orders"] for row in snapshot(session, ORDER_TOTALS, DAY, "v1", finished()).collect()]


def test_a_view_that_the_stream_has_never_written_is_not_compared(session: SparkSession) -> None:
    with pytest.raises(TransientFailure, match="daybreak restart stream"):
        orders(session)


def test_a_new_view_is_compared_although_no_record_came_since_the_start(session: SparkSession) -> None:
    put(session, SPEED, minute(REBUILT, 3))
    assert orders(session) == [3]
    # What an unfinished micro-batch has written does not count yet.
    put(session, SPEED, minute(8, 4))
    assert orders(session) == [3]
    put(session, PROGRESS, batch(8, {"other": "v1", ORDER_TOTALS.name: "v1"}))
    assert orders(session) == [4]


def test_a_new_view_of_another_version_is_refused(session: SparkSession) -> None:
    put(session, SPEED, minute(REBUILT, 3, "v0"))
    with pytest.raises(PermanentFailure, match="version v0 of order_totals"):
        orders(session)
