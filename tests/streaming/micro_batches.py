"""A stream of micro-batches without Kafka and tables: what views say of events, held against the views of them all."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from tempfile import mkdtemp
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from streaming.contracts import CONTRACTS
from streaming.micro_batch.outcomes import arrow_schema
from streaming.positions.watermark import arrow_time
from streaming.state.changelog import counted, counted_in_arrow, known_at, last_of_each_key
from streaming.state.open_rows import still_open, stored
from streaming.state.prepared_plan import standing_session
from streaming.state.shared_plan import answered
from streaming.state.update_views import Keeping
from streaming.state.view_state import CLOSES, OF_EVENT
from streaming.tables.silver import EVENT
from streaming.tables.speed import latest_rows
from streaming.views import CHANGELOGS, LOOKBACK, REACH, VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import View

COUNTED = StructType([*EVENT.fields, StructField("late_by_ms", LongType())])
NOON = datetime(2026, 1, 31, 22, 30, tzinfo=UTC)
"""So that a history goes over midnight."""
DELAY = timedelta(minutes=10)


class Run:
    """A stream of micro-batches without Kafka and tables: its events, what it said, its next_watermark."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.keeping = self.begun()
        self.counted: list[dict[str, Any]] = []
        self.said: dict[str, list[pa.Table]] = {name: [] for name in VIEWS}
        self.largest: datetime | None = None
        self.number = 0

    def begun(self) -> Keeping:
        """Without any state; what it keeps is gone when the session ends."""
        return Keeping(self.spark, mkdtemp(dir=self.spark.sparkContext._temp_dir))

    @property
    def next_watermark(self) -> datetime | None:
        return None if self.largest is None else self.largest - DELAY

    def batch(self, events: list[dict[str, Any]], more_comes: bool = False) -> None:
        watermark = self.next_watermark
        late = timedelta(0)
        for event in events:
            late = max(watermark - event["event_time"], timedelta(0)) if watermark else late
            self.counted.append(event | {"late_by_ms": late // timedelta(milliseconds=1)})
        counting = counted_in_arrow(arrow(self.counted[len(self.counted) - len(events) :]))
        self.largest = max(
            [event["event_time"] for event in events] + ([self.largest] if self.largest else []), default=None
        )
        for name, rows in self.update(counting, watermark, more_comes).items():
            number = pa.repeat(pa.scalar(self.number), rows.num_rows)
            self.said[name].append(rows.append_column("batch_id", number))
        self.number += 1

    def update(self, new: pa.Table, watermark: datetime | None, more_comes: bool) -> Mapping[str, pa.Table]:
        return self.keeping.update(new, arrow_time(watermark), arrow_time(self.next_watermark), more_comes)

    def restart(self) -> None:
        """Memory is lost, and filled again with what the tables have."""
        self.keeping = self.begun()
        if self.next_watermark is not None:
            since = self.next_watermark - REACH - LOOKBACK
            found = frame(self.spark, self.counted).withColumn(KNOWN_AT, known_at())
            is_change = F.col("topic").isin(*CHANGELOGS)
            recent = found.where((F.col(KNOWN_AT) >= since) & (is_change | (F.col("late_by_ms") == 0)))
            older = last_of_each_key(found.where(is_change & (F.col(KNOWN_AT) < since)))
            events = recent.unionByName(older).select(*OF_EVENT, *[one.column for one in CONTRACTS.values()]).toArrow()
            own, at = standing_session(self.spark), pa.scalar(NOON, pa.timestamp("us", "UTC"))
            rows = {}
            for name, view in VIEWS.items():
                pieces = [said.append_column("as_of", pa.repeat(at, said.num_rows)) for said in self.said[name]]
                rows[name] = still_open(own, view, [said.select(stored(view).fieldNames()) for said in pieces])
            self.keeping.fill([events.slice(0, 7), events.slice(7)], rows, arrow_time(self.next_watermark))


def arrow(events: list[dict[str, Any]]) -> pa.Table:
    """The columns of EVENT, and `late_by_ms`."""
    return pa.Table.from_pylist([{"late_by_ms": 0, **event} for event in events], schema=arrow_schema(COUNTED))


def frame(spark: SparkSession, events: list[dict[str, Any]]) -> DataFrame:
    return spark.createDataFrame(arrow(events), COUNTED)


def answers(view: View, said: DataFrame) -> list[tuple[Any, ...]]:
    columns = [name for name in said.columns if name not in ("is_final", "is_removed", "as_of", "batch_id", CLOSES)]
    return sorted(map(tuple, said.select(*sorted(columns), "is_final").collect()), key=repr)


def said_and_expected(run: Run, view: View) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """What a run said last of a view, and what the view says of all its events, as `answers`."""
    log = run.spark.createDataFrame(pa.concat_tables(run.said[view.name]).combine_chunks())
    every = frame(run.spark, run.counted).withColumn(KNOWN_AT, known_at())
    expected = answered(view, every.where(counted(tuple(view.changelogs))))
    expected = expected.withColumn("is_final", F.col(CLOSES) < F.lit(run.next_watermark))
    return answers(view, latest_rows(view, log.withColumn("as_of", F.lit(NOON)))), answers(view, expected)
