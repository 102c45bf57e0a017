"""Every event that only one side counted, or that was late, is named with its cause and its side."""

from datetime import UTC, datetime

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from batch.causes import Cause
from batch.evidence import evidence

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
EVENT = "event_id string, event_type string, event_time timestamp, topic string, partition int, offset long, content_hash long"
READ_TO = 100
"""The view had read offsets below this."""

# event -> (offset, content, late by) in silver, (offset, content) in truth, offset in a quarantine, (cause, side) found
CASES = {
    "same on both sides": ((1, 1, 0), (1, 1), None, set()),
    "late": ((2, 1, 5), (2, 1), None, {(Cause.LATE, "add")}),
    "not read yet": (None, (100, 1), None, {(Cause.NOT_READ, "add")}),
    "quarantined then, valid now": (None, (3, 1), 3, {(Cause.RULE, "add")}),
    "valid then, refused now": ((4, 1, 0), None, None, {(Cause.RULE, "take")}),
    "came with other content days before": ((12, 2, 0), None, 12, {(Cause.CONFLICT, "take")}),
    "another arrival kept": ((5, 1, 0), (6, 1), None, {(Cause.DUPLICATE, "take"), (Cause.DUPLICATE, "add")}),
    "other content kept": ((7, 1, 0), (8, 2), None, {(Cause.CONFLICT, "take"), (Cause.CONFLICT, "add")}),
    "read, and lost by the machine": (None, (9, 1), None, {(Cause.UNEXPLAINED, "add")}),
    "late, and other content kept": (
        (10, 1, 5), (11, 2), None, {(Cause.LATE, "add"), (Cause.CONFLICT, "take"), (Cause.CONFLICT, "add")},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> dict[str, set[tuple[str, str]]]:
    """Cause and side by event, all events compared at once."""

    def row(name: str, offset: int, content: int) -> tuple[object, ...]:
        return (name, "order_placed", NOON, "orders", 0, offset, content)

    silver = [(*row(name, *kept[:2]), kept[2]) for name, (kept, _, _, _) in CASES.items() if kept]
    truth = [row(name, *kept) for name, (_, kept, _, _) in CASES.items() if kept]
    refused = [("orders", 0, offset) for _, _, offset, _ in CASES.values() if offset is not None]
    rows = evidence(
        spark.createDataFrame(silver, f"{EVENT}, late_by_ms long"),
        spark.createDataFrame(refused, "topic string, partition int, offset long"),
        spark.createDataFrame(truth, EVENT),
        spark.createDataFrame([("orders", 0, 12)], "topic string, partition int, offset long"),
        F.col("offset") >= READ_TO,
    ).collect()
    by_event: dict[str, set[tuple[str, str]]] = {name: set() for name in CASES}
    for one in rows:
        by_event[one["event_id"]].add((one["cause"], one["side"]))
    assert len(rows) == sum(len(causes) for causes in by_event.values()), "an event is named twice"
    return by_event


@pytest.mark.parametrize("name", CASES)
def test_an_event_has_its_cause(found: dict[str, set[tuple[str, str]]], name: str) -> None:
    assert found[name] == CASES[name][-1]
