"""A row that differs carries its causes; what no cause explains is a fault, and the sums add up."""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest
from pyspark.sql import Row, SparkSession

from batch.causes import STEPS, Cause
from batch.differences import compared, summary
from streaming.views.order_totals import ORDER_TOTALS

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
WATERMARK = NOON + timedelta(minutes=30)
SCHEMA = "window_start timestamp, window_end timestamp, orders long, items long, revenue_cents long"


class Case(NamedTuple):
    """A window's order count at each stage (None: no such row), and the causes that must be found."""

    name: str
    speed: int | None
    counted: int | None
    late: int | None
    not_read: int | None
    truth: int | None
    causes: set[str]
    is_open: bool = False


CASES = [
    Case("the stream was right", 3, 3, 3, 3, 3, set()),
    Case("one event was late", 3, 3, 4, 4, 4, {Cause.LATE}),
    Case("the whole row was late", None, None, 2, 2, 2, {Cause.LATE}),
    Case("one was not read yet", 3, 3, 3, 5, 5, {Cause.NOT_READ}),
    Case("one late, one not read yet", 3, 3, 4, 5, 5, {Cause.LATE, Cause.NOT_READ}),
    Case("not said yet", None, 3, 3, 3, 3, {Cause.PENDING}, is_open=True),
    Case("not said yet, and late", None, 3, 4, 4, 4, {Cause.PENDING, Cause.LATE}, is_open=True),
    Case("never said, though closed", None, 3, 3, 3, 3, {Cause.UNEXPLAINED}),
    Case("said another number", 2, 3, 3, 3, 3, {Cause.UNEXPLAINED}),
    Case("said another number, though open", 2, 3, 3, 3, 3, {Cause.UNEXPLAINED}, is_open=True),
    Case("said what never was", 1, None, None, None, None, {Cause.UNEXPLAINED}),
    Case("the events do not add up to the truth", 3, 3, 3, 3, 4, {Cause.UNEXPLAINED}),
    Case("the truth lacks a row", 3, 3, 3, 3, None, {Cause.UNEXPLAINED}),
]
STAGES = ("speed", "counted", "late", "not_read", "truth")


def window(place: int) -> datetime:
    """Each case has a minute of its own: before the watermark if it is closed, after it if not."""
    return (WATERMARK if CASES[place].is_open else NOON) + timedelta(minutes=place)


@pytest.fixture(scope="module")
def rows(spark: SparkSession) -> dict[str, Row]:
    """The comparison of every case, all of them in one table."""
    found = compare(spark).collect()
    return {
        case.name: row
        for case in CASES
        for row in found
        if f'"{window(CASES.index(case)):%Y-%m-%dT%H:%M}' in row["key"]
    }


def compare(spark: SparkSession):  # type: ignore[no-untyped-def]
    stages = {}
    for stage in STAGES:
        own = [(window(place), getattr(case, stage)) for place, case in enumerate(CASES)]
        own_rows = [(at, at + timedelta(minutes=1), n, n, n * 100) for at, n in own if n is not None]
        stages[stage] = spark.createDataFrame(own_rows, SCHEMA)
    return compared(ORDER_TOTALS, stages, WATERMARK)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_row_has_its_causes(rows: dict[str, Row], case: Case) -> None:
    row = rows[case.name]
    assert set(row["causes"]) == case.causes
    assert row["unexplained"] == (Cause.UNEXPLAINED in case.causes)


def test_stages_are_kept_as_json_and_missing_rows_as_null(rows: dict[str, Row]) -> None:
    row = rows["the whole row was late"]
    assert (row["speed"], row["counted"]) == (None, None)
    assert '"orders":2,"items":2,"revenue_cents":200' in row["truth"]


def test_without_a_watermark_every_row_is_open(spark: SparkSession) -> None:
    at = (NOON, NOON + timedelta(minutes=1), 1, 1, 1)
    full, none = spark.createDataFrame([at], SCHEMA), spark.createDataFrame([], SCHEMA)
    (row,) = compared(ORDER_TOTALS, {"speed": none, "counted": full, "truth": full}, None).collect()
    assert row["causes"] == [Cause.PENDING]


def test_the_sums_lead_from_what_was_said_to_the_truth(spark: SparkSession) -> None:
    by_measure = {row["measure"]: row for row in summary(ORDER_TOTALS, compare(spark)).collect()}
    assert set(by_measure) == set(ORDER_TOTALS.measures)
    for row in by_measure.values():
        assert row["speed"] + row["pending"] + sum(row[cause] for cause in STEPS) + row["unexplained"] == row["truth"]
    orders = by_measure["orders"]
    assert (orders["late"], orders["not_read"], orders["pending"]) == (5, 3, 6)
    assert orders["rows_differing"] == sum(bool(case.causes) for case in CASES)
    assert orders["rows_unexplained"] == sum(Cause.UNEXPLAINED in case.causes for case in CASES)
