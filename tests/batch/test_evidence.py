"""Every event that only one side counted, or that was late, is named with its cause and its side."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from batch.days.day import Span
from batch.reconciliation.causes import STEPS, Cause
from batch.reconciliation.evidence import evidence, of_day, of_view
from batch.reconciliation.layers import Layer
from streaming.shop.views.order_payments import ORDER_PAYMENTS

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
EVENT = (
    "event_id string, event_type string, event_time timestamp, topic string, partition int, offset long, "
    "arrival timestamp, content_hash long"
)
REFUSED = "topic string, partition int, offset long, reasons array<string>"
HOLE, STREAM_END, ARCHIVE_END = (50, 60), 100, 200
"""The stream had read offsets below its end but for a hole, the night those below the archive's."""


class Kept(NamedTuple):
    """Which record of an event a layer kept, with which content, and how late silver marked it (ms)."""

    offset: int
    content: int = 1
    late_by: int = 0


class Case(NamedTuple):
    """An event in silver (none, one, or twice under one id) and in truth; (offset, reason) refused by either layer."""

    silver: tuple[Kept, ...]
    truth: Kept | None
    stream_refused: tuple[int, str] | None = None
    night_refused: tuple[int, str] | None = None
    found: frozenset[tuple[str, str]] = frozenset()
    topic: str = "orders"


def case(*found: tuple[str, str], **given: object) -> Case:
    return Case(**{"silver": (), "truth": None, "found": frozenset(found), **given})  # type: ignore[arg-type]


CASES = {
    "same on both sides": case(silver=(Kept(1),), truth=Kept(1)),
    "late": case((Cause.LATE, "add"), silver=(Kept(2, 1, 5),), truth=Kept(2)),
    "late partner": case((Cause.PARTNER_LATE, "add"), silver=(Kept(2, 1, 7),), truth=Kept(2), topic="payments"),
    "partner on time": case(silver=(Kept(3),), truth=Kept(3), topic="payments"),
    "not read yet": case((Cause.NOT_READ, "add"), truth=Kept(STREAM_END)),
    "in the archive later": case((Cause.NOT_READ, "take"), silver=(Kept(ARCHIVE_END),)),
    "first offset of a hole": case((Cause.GAP, "add"), truth=Kept(HOLE[0])),
    "last offset of a hole": case((Cause.GAP, "add"), truth=Kept(HOLE[1] - 1)),
    "after a hole, and lost": case((Cause.UNEXPLAINED, "add"), truth=Kept(HOLE[1])),
    "quarantined then, valid now": case((Cause.RULE, "add"), truth=Kept(4), stream_refused=(4, "total_mismatch")),
    "valid then, refused now": case((Cause.RULE, "take"), silver=(Kept(5),), night_refused=(5, "total_mismatch")),
    "decoded otherwise": case(
        (Cause.RULE, "take"), (Cause.RULE, "add"), silver=(Kept(6, 1),), truth=Kept(6, 2)
    ),
    "another record refused": case(
        (Cause.UNEXPLAINED, "take"), silver=(Kept(7),), night_refused=(8, "total_mismatch")
    ),
    "only silver has it": case((Cause.UNEXPLAINED, "take"), silver=(Kept(9),)),
    "read, and lost by the machine": case((Cause.UNEXPLAINED, "add"), truth=Kept(10)),
    "came with other content days before": case(
        (Cause.CONFLICT, "take"), silver=(Kept(11),), night_refused=(11, "conflict")
    ),
    "the stream kept the one of days before": case(
        (Cause.CONFLICT, "add"), truth=Kept(12), stream_refused=(12, "conflict")
    ),
    "another arrival kept": case(
        (Cause.DUPLICATE, "take"), (Cause.DUPLICATE, "add"), silver=(Kept(13),), truth=Kept(14)
    ),
    "other content kept": case(
        (Cause.CONFLICT, "take"), (Cause.CONFLICT, "add"), silver=(Kept(15, 1),), truth=Kept(16, 2)
    ),
    "late, and other content kept": case(
        (Cause.LATE, "add"), (Cause.CONFLICT, "take"), (Cause.CONFLICT, "add"),
        silver=(Kept(17, 1, 5),), truth=Kept(18, 2),
    ),
    "silver has both of a conflict": case(
        (Cause.CONFLICT, "take"), silver=(Kept(19, 1), Kept(20, 2)), truth=Kept(19, 1), night_refused=(20, "conflict")
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def found(spark: SparkSession) -> dict[str, list[Row]]:
    """The rows by event, all events compared at once."""

    def row(name: str, kept: Kept) -> tuple[object, ...]:
        arrival = NOON + timedelta(seconds=kept.offset)
        place = (CASES[name].topic, 0, kept.offset)
        return (name, "event", NOON, *place, arrival, kept.content)

    silver = [(*row(name, kept), kept.late_by) for name, one in CASES.items() for kept in one.silver]
    truth = [row(name, one.truth) for name, one in CASES.items() if one.truth]

    def refused(which: str) -> list[tuple[object, ...]]:
        pairs = [(one.topic, getattr(one, which)) for one in CASES.values() if getattr(one, which)]
        return [(topic, 0, offset, [reason]) for topic, (offset, reason) in pairs]

    offset = F.col("offset")
    not_read = F.lit(Cause.NOT_READ.value)
    in_hole = (offset >= HOLE[0]) & (offset < HOLE[1])
    stream = Layer(
        spark.createDataFrame(silver, f"{EVENT}, late_by_ms long"),
        spark.createDataFrame(refused("stream_refused"), REFUSED),
        F.when(offset >= STREAM_END, not_read).when(in_hole, F.lit(Cause.GAP.value)),
    )
    night = Layer(
        spark.createDataFrame(truth, EVENT),
        # What two nights refused alike is one refusal.
        spark.createDataFrame(refused("night_refused") * 2, REFUSED),
        F.when(offset >= ARCHIVE_END, not_read),
    )
    by_event: dict[str, list[Row]] = {name: [] for name in CASES}
    for one in of_view(
        evidence(stream, night), ORDER_PAYMENTS, Span(NOON - timedelta(days=1), NOON + timedelta(days=1))
    ).collect():
        by_event[one["event_id"]].append(one)
    return by_event


@pytest.mark.parametrize("name", CASES)
def test_an_event_has_its_cause(found: dict[str, list[Row]], name: str) -> None:
    assert sorted((row["cause"], row["side"]) for row in found[name]) == sorted(CASES[name].found)


def test_every_cause_that_events_carry_is_among_the_cases() -> None:
    assert {cause for one in CASES.values() for cause, _ in one.found} == {*STEPS, Cause.UNEXPLAINED}


def test_a_driving_event_of_the_next_day_is_no_evidence(spark: SparkSession) -> None:
    """A partner in the reach counts: the order was of this day, its payment came after midnight."""
    midnight = datetime(2026, 2, 1, tzinfo=UTC)
    rows = [
        (f"{topic} {minutes}", topic, midnight + timedelta(minutes=minutes), cause.value)
        for topic in ("orders", "payments")
        for minutes in (-1, 0, 30)
        for cause in (Cause.LATE, Cause.UNEXPLAINED)
    ]
    found = spark.createDataFrame(rows, "event_id string, topic string, event_time timestamp, cause string")
    kept = Counter(row["event_id"] for row in of_day(found, "orders", midnight).collect())
    assert kept == {"orders -1": 2, "payments -1": 2, "payments 0": 2, "payments 30": 2}


def test_an_event_says_when_it_came_and_how_late(found: dict[str, list[Row]]) -> None:
    said = {
        name: {(row["offset"], row["arrival"].astimezone(UTC) - NOON, row["late_by_ms"], row["side"]) for row in rows}
        for name, rows in found.items()
    }
    assert said["late"] == {(2, timedelta(seconds=2), 5, "add")}
    assert said["late partner"] == {(2, timedelta(seconds=2), 7, "add")}
    assert said["not read yet"] == {(STREAM_END, timedelta(seconds=STREAM_END), 0, "add")}
    assert said["another arrival kept"] == {
        (13, timedelta(seconds=13), 0, "take"),
        (14, timedelta(seconds=14), 0, "add"),
    }
    assert {offset for offset, *_ in said["silver has both of a conflict"]} == {20}
