"""Where a stream goes on: behind what it has read of each partition, whatever was off, added or made anew meanwhile."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import SparkSession

from infra import problems
from infra.failures import PermanentFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import arrow
from infra.lake.writes import append_once
from streaming.positions import checkpoint, resume, same_log
from streaming.positions.checkpoint import Checkpoints, SourceOffsets
from streaming.positions.gaps import BRONZE_GAPS
from streaming.positions.log import Log
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import INGEST, PROGRESS

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
IDS = {"orders": "first-of-orders", "clicks": "first-of-clicks"}


class Stream:
    """A stream that stands still: its tables, its checkpoint, and the log that it finds when it starts again."""

    def __init__(self, spark: SparkSession, home: Path) -> None:
        self.spark, self.settings = spark, SimpleNamespace(home=home)
        self.checkpoints = Checkpoints(spark)
        self._written = 0

    def has_read(self, generation: str, **ranges: tuple[int, int, int]) -> None:
        """A finished micro-batch: per topic a partition, the first offset and one past the last."""
        offsets = [
            {"topic": topic, "partition": number, "from": start, "to": end}
            for topic, (number, start, end) in ranges.items()
        ]
        row = {"query": INGEST, "generation": generation, "batch_id": self._written, "offsets": offsets}
        self._written += 1
        append_once(arrow([row], PROGRESS.schema), PROGRESS, "tests", self._written)

    def planned(self, batch_id: int, ends: SourceOffsets, is_committed: bool = True) -> None:
        """As Spark leaves a micro-batch."""
        plan = ["v1", json.dumps({"batchTimestampMs": 0}), json.dumps(ends)]
        self.checkpoints.write(f"ingest/offsets/{batch_id}", "\n".join(plan))
        if is_committed:
            self.checkpoints.write(f"ingest/commits/{batch_id}", 'v1\n{"nextBatchWatermarkMs":0}')

    def starts(self, log: Log) -> dict[str, str]:
        return resume.resume(self.spark, self.checkpoints, "g2", log)

    def gaps(self) -> list[tuple[Any, ...]]:
        rows = arrow_tables.rows(BRONZE_GAPS)
        return sorted((row["topic"], row["partition"], row["from"], row["to"], row["cause"]) for row in rows)

    def problems(self) -> list[str]:
        return [one.id for one in problems.problems(self.settings)]  # type: ignore[arg-type]


@pytest.fixture
def stream(spark: SparkSession, local_lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stream:
    monkeypatch.setattr(checkpoint, "settings", lambda: SimpleNamespace(checkpoints=f"file:{tmp_path}/checkpoints"))
    monkeypatch.setattr(resume, "settings", lambda: SimpleNamespace(home=tmp_path))
    for table in (BRONZE, PROGRESS, BRONZE_GAPS):
        spark_tables.create(spark, table)
    return Stream(spark, tmp_path)


def log(ids: Mapping[str, str] = IDS, **bounds: tuple[int, int]) -> Log:
    """`orders_0=(first, end)`."""
    at = {(name.rpartition("_")[0], int(name.rpartition("_")[2])): found for name, found in bounds.items()}
    return Log({one: first for one, (first, _) in at.items()}, {one: end for one, (_, end) in at.items()}, ids)


def test_a_topic_that_comes_back_goes_on_where_it_was(stream: Stream) -> None:
    stream.has_read("g1", orders=(0, 0, 10), clicks=(0, 0, 7))
    stream.has_read("g2", orders=(0, 10, 15))
    stream.planned(3, {"orders": {"0": 15}})
    stream.starts(log(orders_0=(0, 20), clicks_0=(0, 9)))
    assert stream.checkpoints.resumes_at(INGEST) == {"orders": {"0": 15}, "clicks": {"0": 7}}
    assert stream.gaps() == []


def test_what_retention_took_of_it_meanwhile_is_refused_and_named(stream: Stream) -> None:
    stream.has_read("g1", orders=(0, 0, 10), clicks=(0, 0, 7))
    stream.planned(3, {"orders": {"0": 10}})
    with pytest.raises(PermanentFailure, match=r"clicks-0 \[7, 8\).*rebuild --accept-gap"):
        stream.starts(log(orders_0=(0, 20), clicks_0=(8, 9)))
    assert stream.problems() == ["log.gap/stream/clicks-0"]
    stream.starts(log(orders_0=(0, 20), clicks_0=(7, 9)))
    assert stream.problems() == []


def test_a_new_partition_begins_where_its_log_does_behind_a_gap(stream: Stream) -> None:
    stream.has_read("g2", orders=(0, 0, 10))
    stream.planned(3, {"orders": {"0": 10}})
    now = log(orders_0=(0, 10), orders_1=(4, 6))
    for _ in range(2):
        # Whoever dies before Spark has planned on finds the same.
        stream.starts(now)
        assert stream.checkpoints.resumes_at(INGEST) == {"orders": {"0": 10, "1": 4}}
        assert stream.gaps() == [("orders", 1, 0, 4, "retention")]
        assert stream.problems() == ["log.gap/stream/orders-1"]


def test_a_topic_older_than_its_contract_loses_nothing(stream: Stream) -> None:
    stream.has_read("g2", orders=(0, 0, 10))
    stream.planned(3, {"orders": {"0": 10}})
    stream.starts(log(orders_0=(0, 10), clicks_0=(400, 600), clicks_1=(0, 5)))
    assert stream.checkpoints.resumes_at(INGEST) == {"orders": {"0": 10}, "clicks": {"0": 400, "1": 0}}
    assert stream.gaps() == [("clicks", 0, 0, 400, "before_first_read")]
    assert stream.problems() == []


def test_an_empty_lake_begins_where_the_log_does(stream: Stream) -> None:
    stream.starts(log(orders_0=(3, 10)))
    assert stream.checkpoints.start() == {"orders": {"0": 3}}
    assert stream.gaps() == [("orders", 0, 0, 3, "before_first_read")]


def test_a_planned_micro_batch_keeps_what_it_has_planned(stream: Stream) -> None:
    stream.has_read("g2", orders=(0, 0, 10))
    stream.planned(3, {"orders": {"0": 10}})
    # The query saw partition 1 while it ran, and died with that micro-batch; 2 is new since.
    stream.planned(4, {"orders": {"0": 12, "1": 5}}, is_committed=False)
    stream.starts(log(orders_0=(0, 12), orders_1=(4, 9), orders_2=(6, 8)))
    assert stream.checkpoints.planned(INGEST, 3).ends == {"orders": {"0": 10, "1": 4, "2": 6}}
    assert stream.checkpoints.planned(INGEST, 4).ends == {"orders": {"0": 12, "1": 5, "2": 6}}


def test_before_the_first_commit_it_is_the_start_that_is_changed(stream: Stream, tmp_path: Path) -> None:
    stream.checkpoints.write("ingest/sources/0/0", '\0v1\n{"orders":{"0":6}}')
    stream.planned(0, {"orders": {"0": 8}}, is_committed=False)
    stream.starts(log(orders_0=(0, 12), orders_1=(2, 9)))
    assert stream.checkpoints.started_from(INGEST) == {"orders": {"0": 6, "1": 2}}
    assert (tmp_path / "checkpoints/ingest/sources/0/0").read_text().startswith("\0v1\n{")
    assert stream.checkpoints.planned(INGEST, 0).ends == {"orders": {"0": 8, "1": 2}}


def test_another_log_under_the_same_name_is_refused(stream: Stream) -> None:
    stream.has_read("g2", orders=(0, 0, 10), clicks=(0, 0, 7))
    stream.planned(3, {"orders": {"0": 10}, "clicks": {"0": 7}})
    # A platform from before has no ids: it takes those that it finds.
    assert stream.starts(log(orders_0=(0, 10), clicks_0=(0, 7))) == IDS
    other = {**IDS, "clicks": "second-of-clicks"}
    with pytest.raises(
        PermanentFailure, match="clicks was deleted and made again: its id was first-of-clicks and is second"
    ):
        stream.starts(log(other, orders_0=(0, 10), clicks_0=(0, 900)))
    assert stream.problems() == ["log.replaced/stream/clicks"]
    with pytest.raises(PermanentFailure, match=r"the topic clicks .* is not in Kafka any more"):
        resume.refuse_other_logs({"orders": IDS["orders"]})
    assert same_log.known(BRONZE) == IDS
    stream.starts(log(orders_0=(0, 10), clicks_0=(0, 7)))
    assert stream.problems() == []


def test_a_topic_made_again_before_anything_was_read_is_taken(stream: Stream) -> None:
    stream.has_read("g2", orders=(0, 0, 10), clicks=(0, 0, 0))
    stream.planned(3, {"orders": {"0": 10}, "clicks": {"0": 0}})
    stream.starts(log(orders_0=(0, 10), clicks_0=(0, 0)))
    other = {**IDS, "clicks": "second-of-clicks"}
    assert stream.starts(log(other, orders_0=(0, 10), clicks_0=(0, 5))) == other


def test_an_id_outlives_the_absence_of_its_topic(stream: Stream) -> None:
    stream.has_read("g1", orders=(0, 0, 10), clicks=(0, 0, 7))
    stream.starts(log(orders_0=(0, 10), clicks_0=(0, 7)))
    stream.starts(log({"orders": IDS["orders"]} | {"clicks": ""}, orders_0=(0, 10)))
    with pytest.raises(PermanentFailure, match="clicks was deleted and made again"):
        stream.starts(log({**IDS, "clicks": "second"}, orders_0=(0, 10), clicks_0=(0, 70)))
