"""A percentile is the total of one order: the smallest that so many of the orders do not exceed."""

from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession

from streaming.views import VIEWS
from streaming.views.law import APART

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("orders", "expected"), [(100, (50, 95, 99, 100)), (101, (51, 96, 100, 101)), (1, (1, 1, 1, 1))]
)
def test_each_percentile_is_at_its_place(spark: SparkSession, orders: int, expected: tuple[int, ...]) -> None:
    rows = [("order_placed", NOON, total, "") for total in range(orders, 0, -1)]
    placed = spark.createDataFrame(rows, f"event_type string, event_time timestamp, total_cents bigint, {APART} string")
    (row,) = VIEWS["order_value_percentiles"].define({"orders": placed}).collect()
    assert row["orders"] == orders
    assert tuple(row[f"{name}_cents"] for name in ("p50", "p95", "p99", "largest")) == expected
