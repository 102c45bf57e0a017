"""A day's own size chooses Spark's settings, and the user's word goes before it."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

from batch.archive import tuning
from batch.archive.events import ARCHIVE
from batch.archive.tuning import BACK, HUGE_ROWS, LARGE_ROWS, MANY_ROWS, records, suit, suit_number
from batch.days.day import Day
from infra.lake import spark_tables
from infra.lake.rows import arrow
from infra.lake.writes import append_once
from infra.spark_conf import FEW_ROWS

SMALL, LARGE = Day(date(2026, 1, 30)), Day(date(2026, 1, 31))


@pytest.fixture
def own(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkSession]:
    """An archive with one record of the small day and three of the large one."""
    spark_tables.create(spark, ARCHIVE)
    at = datetime(2026, 1, 31, tzinfo=UTC)
    for number, day in enumerate((SMALL, LARGE, LARGE, LARGE)):
        record = {"topic": "orders", "partition": 0, "offset": number, "arrival": at, "day": day.date}
        append_once(arrow([record], ARCHIVE.schema), ARCHIVE, "test", number)
    monkeypatch.setattr(tuning, "MANY", 2)
    yield spark
    for key, value in (FEW_ROWS | BACK).items():
        spark.conf.set(key, value)


def test_a_day_with_many_records_is_compiled(own: SparkSession) -> None:
    assert (records(SMALL), records(LARGE), records(Day(date(2026, 2, 1)))) == (1, 3, 0)
    for day, wanted in ((LARGE, MANY_ROWS), (SMALL, FEW_ROWS)):
        suit(own, day)
        assert {key: own.conf.get(key) for key in wanted} == wanted


def test_a_log_with_many_new_records_is_read_compiled(own: SparkSession) -> None:
    for number, wanted in ((3, MANY_ROWS), (2, FEW_ROWS)):
        suit_number(own, number)
        assert {key: own.conf.get(key) for key in wanted} == wanted


def test_a_large_number_of_records_is_shared_between_cores(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "LARGE", 3)
    for number, wanted in ((3, FEW_ROWS | MANY_ROWS), (4, FEW_ROWS | LARGE_ROWS), (2, FEW_ROWS)):
        suit_number(own, number)
        assert {key: own.conf.get(key) for key in wanted} == wanted


def test_what_the_user_set_stays(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = "spark.sql.shuffle.partitions"
    monkeypatch.setattr(tuning, "settings", lambda: SimpleNamespace(of_night={mine: "40"}))
    own.conf.set(mine, "40")
    suit(own, LARGE)
    assert own.conf.get(mine) == "40"


def test_only_a_huge_day_is_set_up_as_huge(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HUGE", 5)
    few = FEW_ROWS | BACK
    for number, wanted in ((2, few), (5, few | MANY_ROWS), (6, HUGE_ROWS), (2, few)):
        suit_number(own, number)
        assert {key: own.conf.get(key) for key in wanted} == wanted


def test_a_task_of_a_huge_day_has_as_many_records(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HUGE", 5)
    monkeypatch.setattr(tuning, "PER_PARTITION", 2)
    for number, partitions in ((6, "3"), (7, "4"), (3, "1")):
        suit_number(own, number)
        assert own.conf.get("spark.sql.shuffle.partitions") == partitions


def test_whatever_many_rows_change_few_rows_set_back() -> None:
    assert MANY_ROWS.keys() < LARGE_ROWS.keys() < FEW_ROWS.keys()
    assert HUGE_ROWS.keys() < FEW_ROWS.keys() | BACK.keys()
