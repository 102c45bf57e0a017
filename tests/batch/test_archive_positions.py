"""How far the archive has read, and of which log: through options that are off, and topics that are older or made again."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from batch.archive import events as archive
from batch.archive.events import ARCHIVE, ARCHIVE_GAPS, WRITER, refuse_other_logs, version
from batch.conservation import gaps
from batch.conservation.check import Marks
from infra import problems
from infra.failures import PermanentFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import arrow
from infra.lake.writes import append_once
from streaming.positions import same_log
from streaming.positions.gaps import BRONZE_GAPS, GapCause
from streaming.positions.log import Log

ORDERS, CLICKS, NEW = ("orders", 0), ("clicks", 0), ("clicks", 1)


@pytest.fixture
def home(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    for table in (ARCHIVE, ARCHIVE_GAPS, BRONZE_GAPS):
        spark_tables.create(spark, table)
    own = SimpleNamespace(home=local_lake)
    monkeypatch.setattr(archive, "settings", lambda: own)
    monkeypatch.setattr(gaps, "settings", lambda: own)
    monkeypatch.setattr(gaps, "arrivals", lambda at: {})
    return own


def written(number: int) -> None:
    append_once(arrow([], ARCHIVE.schema), ARCHIVE, WRITER, number)


def test_a_write_is_not_taken_for_an_older_one_without_a_topic(home: SimpleNamespace) -> None:
    both = Log({ORDERS: 0, CLICKS: 0}, {ORDERS: 10, CLICKS: 7})
    written(version({}, both))
    # Clicks are off. The archive may lack the last markers of what the log had of them.
    for read_to, end in (({ORDERS: 10, CLICKS: 7}, 11), ({ORDERS: 11, CLICKS: 5}, 12)):
        last = arrow_tables.latest(ARCHIVE).transaction_version(WRITER)
        number = version(read_to, Log({ORDERS: 0}, {ORDERS: end}))
        assert last is not None
        assert number > last
        written(number)


def test_another_log_is_refused_and_stays_a_problem(home: Any) -> None:
    same_log.adopt(ARCHIVE, {"clicks": "first"})
    log = Log({CLICKS: 0}, {CLICKS: 900}, {"clicks": "second"})
    refuse_other_logs({CLICKS: 0}, log)
    with pytest.raises(PermanentFailure, match="clicks was deleted and made again: its id was first and is second"):
        refuse_other_logs({CLICKS: 7}, log)
    assert [one.id for one in problems.problems(home)] == ["log.replaced/archive/clicks"]


def test_what_was_read_of_a_log_that_changed_is_taken_back(
    spark: SparkSession, home: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"topic": topic, "partition": 0, "offset": at} for topic in ("orders", "clicks") for at in (5, 6)]
    monkeypatch.setattr(archive, "_read", lambda session, start, end: arrow(rows, ARCHIVE.schema))
    monkeypatch.setattr(archive, "topic_ids", lambda topics: {"orders": "first", "clicks": "second"})
    monkeypatch.setattr(archive, "point", lambda place: None)
    append_once(arrow([{"topic": "clicks", "partition": 0, "offset": 4}], ARCHIVE.schema), ARCHIVE, "tests", 1)
    # Retention has removed the record before: no broker is asked whether it is still the one that was read.
    log = Log({ORDERS: 0, CLICKS: 5}, {ORDERS: 7, CLICKS: 7}, {"orders": "first", "clicks": "first"})
    with pytest.raises(PermanentFailure, match="clicks was deleted and made again"):
        archive.archive(spark, log, {ORDERS: 5, CLICKS: 5})
    left = sorted((row["topic"], row["offset"]) for row in arrow_tables.rows(ARCHIVE, ("topic", "offset")))
    assert left == [("clicks", 4), ("orders", 5), ("orders", 6)]
    assert [one.id for one in problems.problems(home)] == ["log.replaced/archive/clicks"]


def recorded() -> list[tuple[Any, ...]]:
    rows = arrow_tables.rows(ARCHIVE_GAPS)
    return [(row["topic"], row["partition"], row["from"], row["to"], row["cause"]) for row in rows]


def test_what_is_older_than_a_contract_is_on_record(spark: SparkSession, home: SimpleNamespace) -> None:
    known, log = Marks(archived={ORDERS: (0, 10)}), Log({ORDERS: 0, CLICKS: 400}, {ORDERS: 10, CLICKS: 600})
    gaps.begin(spark, known, log)
    assert known.read_to == {ORDERS: 10, CLICKS: 400}
    assert recorded() == [(*CLICKS, 0, 400, "before_first_read")]
    (row,) = arrow_tables.rows(ARCHIVE_GAPS)
    assert row["from_day"] == row["to_day"]
    assert archive.lost(known.read_to, log) == []


def test_what_the_stream_had_and_no_night_is_a_loss(spark: SparkSession, home: SimpleNamespace) -> None:
    older = {"topic": "clicks", "partition": 0, "from": 0, "to": 400, "cause": GapCause.BEFORE_FIRST_READ.value}
    append_once(arrow([older], BRONZE_GAPS.schema), BRONZE_GAPS, "tests", 1)
    known, log = Marks(streamed={CLICKS: 500, NEW: 3}), Log({CLICKS: 450, NEW: 2}, {CLICKS: 600, NEW: 5})
    gaps.begin(spark, known, log)
    assert recorded() == [(*CLICKS, 0, 400, "before_first_read")]
    lost = [(gap.topic, gap.partition, gap.start, gap.end) for gap in archive.lost(known.read_to, log)]
    assert lost == [(*CLICKS, 400, 450), (*NEW, 0, 2)]


def test_an_added_partitions_loss_is_one_of_the_archive_too(spark: SparkSession, home: SimpleNamespace) -> None:
    gone = {"topic": "clicks", "partition": 1, "from": 0, "to": 4, "cause": GapCause.RETENTION.value}
    append_once(arrow([gone], BRONZE_GAPS.schema), BRONZE_GAPS, "tests", 1)
    known = Marks(archived={CLICKS: (0, 10)}, streamed={CLICKS: 10, NEW: 9}, begun={CLICKS: 0, NEW: 4})
    log = Log({CLICKS: 0, NEW: 5}, {CLICKS: 10, NEW: 9})
    gaps.begin(spark, known, log)
    assert recorded() == []
    lost = archive.lost(known.read_to, log)
    assert [(gap.topic, gap.partition, gap.start, gap.end) for gap in lost] == [(*NEW, 0, 5)]
