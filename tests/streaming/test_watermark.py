"""An event is late if it is older than the newest of all earlier batches by more than the delay."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from infra.lake import spark_tables
from streaming.positions.watermark import Watermark, millis, restored
from streaming.tables.progress import INGEST, PROGRESS, MicroBatch
from streaming.tables.silver import late_by

DELAY, ALIGNMENT = timedelta(minutes=10), timedelta(days=1)


def test_before_the_first_event_nothing_is_late(spark: SparkSession) -> None:
    watermark = Watermark(DELAY, ALIGNMENT)
    watermark.saw(None)
    assert watermark.at is None
    assert spark.sql("SELECT timestamp'1970-01-02' AS event_time").select(late_by(watermark.at)).first()[0] == 0  # type: ignore[index]


def test_the_watermark_follows_the_newest_event_and_never_goes_back() -> None:
    watermark = Watermark(DELAY, ALIGNMENT)
    for seen, expected in [(1_000_000, 400_000), (900_000, 400_000), (None, 400_000), (1_000_001, 400_001)]:
        watermark.saw(seen)
        assert watermark.at == expected


def test_late_is_what_is_strictly_behind_the_watermark(spark: SparkSession) -> None:
    times = "SELECT explode(transform(array(399999, 400000, 400001, 0), ms -> timestamp_millis(ms))) AS event_time"
    assert [row[0] for row in spark.sql(times).select(late_by(400_000)).collect()] == [1, 0, 0, 400_000]


@pytest.mark.parametrize(
    ("generation", "batch_id", "largest"),
    [("b", 0, 30), ("b", 1, 40), ("b", 2, 40), ("b", 9, 45), ("c", 0, 45)],
    ids=["first batch of b repeated", "second repeated", "third repeated", "b goes on", "after a rebuild"],
)
def test_a_restarted_stream_finds_the_watermark_as_it_was(
    progress: SparkSession, generation: str, batch_id: int, largest: int
) -> None:
    newest = datetime(2026, 1, 31, 12, largest, tzinfo=UTC)
    watermark = restored(generation, batch_id)
    assert watermark.at == int((newest - DELAY).timestamp() * 1000)
    watermark.saw(None)
    assert watermark.aligned_ms == int(datetime(2026, 1, 31, 13, tzinfo=UTC).timestamp() * 1000)


def test_a_restarted_stream_does_not_follow_a_time_ahead_of_its_machine(spark: SparkSession, local_lake: Path) -> None:
    spark_tables.create(spark, PROGRESS)
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    for batch_id, (ahead, seen) in enumerate([(0, True), (60, True), (1, False)]):
        batch = MicroBatch(INGEST, "a", batch_id, noon + timedelta(minutes=batch_id), {})
        batch.aligned_event_time = noon + timedelta(minutes=ahead)
        batch.max_event_time = batch.aligned_event_time if seen else None
        batch.record()
    for batch_id, minute in ((1, 0), (2, 6), (3, 6)):
        assert restored("a", batch_id).aligned_ms == millis(noon + timedelta(minutes=minute))


@pytest.fixture(scope="module")
def stored(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Progress of generation a up to minute 30, of generation b up to 45; a view's newer row is not the ingest's."""
    place = tmp_path_factory.mktemp("lake")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("infra.lake.tables.settings", lambda: type("Lake", (), {"lake": f"file:{place}"}))
        spark_tables.create(spark, PROGRESS)
        batches = [
            (INGEST, "a", 0, 30),
            (INGEST, "b", 0, 40),
            (INGEST, "b", 1, 20),
            (INGEST, "b", 2, 45),
            ("view", "a", 0, 59),
        ]
        for query, generation, batch_id, minute in batches:
            batch = MicroBatch(query, generation, batch_id, datetime.now(UTC), {})
            batch.aligned_event_time = datetime(2026, 1, 31, 12, minute, tzinfo=UTC)
            # Read ahead of a partition with a backlog.
            batch.max_event_time = datetime(2026, 1, 31, 13, tzinfo=UTC)
            batch.record()
    return place


@pytest.fixture
def progress(spark: SparkSession, stored: Path, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    monkeypatch.setattr("infra.lake.tables.settings", lambda: type("Lake", (), {"lake": f"file:{stored}"}))
    return spark
