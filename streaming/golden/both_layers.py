"""What each layer says of events in memory, without Kafka and tables, by the functions that stream and night run.

Data flow: events (columns of EVENT, `late_by_ms`) -> micro-batches -> the stream's last rows; -> all at once -> the night's
Run: pytest tests/streaming/test_second_project.py
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from tempfile import mkdtemp
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType, TimestampType

from streaming.micro_batch.outcomes import arrow_schema
from streaming.positions.watermark import arrow_time
from streaming.state.changelog import counted_in_arrow
from streaming.state.shared_plan import answered
from streaming.state.update_views import Keeping
from streaming.state.view_state import CLOSES
from streaming.tables.silver import EVENT
from streaming.tables.speed import latest_rows
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import View

Row = dict[str, Any]
LATE = arrow_schema(StructType([*EVENT.fields, StructField("late_by_ms", LongType())]))
"""The columns of events here: those of EVENT, and how late each was."""
COUNTED = StructType([*EVENT.fields, StructField("late_by_ms", LongType()), StructField(KNOWN_AT, TimestampType())])
AS_OF = datetime(2026, 1, 31, tzinfo=UTC)


class MicroBatch(NamedTuple):
    """Events that the stream counts (`counted_in_arrow`), the watermark before them, and the one after them."""

    events: pa.Table
    watermark: pa.Scalar | None = None
    next_watermark: pa.Scalar | None = None


def counted(events: pa.Table) -> pa.Table:
    """The events that the stream's views count: all but late ones, with KNOWN_AT."""
    return counted_in_arrow(events)


def known(events: pa.Table) -> pa.Table:
    """All events as the night knows them: each from its own time on."""
    return events.append_column(KNOWN_AT, events["event_time"])


def cut(events: pa.Table, pieces: int, delay: timedelta) -> list[MicroBatch]:
    """Counted events, in order of arrival, in so many micro-batches, with watermarks by which none of them is late.

    Before each, the watermark is the latest event time that was read, minus `delay`, or the first time that is still to come.
    """
    size = max(1, -(-events.num_rows // pieces))
    parts = [events.slice(start, size) for start in range(0, events.num_rows, size)]
    at: list[pa.Scalar | None] = [None]
    for place in range(1, len(parts) + 1):
        reached = pc.max(events.slice(0, place * size)["event_time"]).as_py() - delay
        coming = pc.min(events.slice(place * size)[KNOWN_AT]).as_py()
        at.append(arrow_time(min(reached, coming or reached)))
    return [MicroBatch(part, *at[place : place + 2]) for place, part in enumerate(parts)]


def of_stream(session: SparkSession, views: Sequence[View], batches: Sequence[MicroBatch]) -> dict[str, list[Row]]:
    """What the stream says last of each view after these micro-batches, in the order of the view's key."""
    keeping = Keeping(session, mkdtemp())
    log: dict[str, list[pa.Table]] = {view.name: [] for view in views}
    for number, batch in enumerate(batches):
        found = keeping.update(batch.events, batch.watermark, batch.next_watermark)
        for name in log.keys() & found.keys():
            rows = found[name]
            log[name].append(rows.append_column("batch_id", pa.repeat(pa.scalar(number), rows.num_rows)))
    return {view.name: _last(session, view, log[view.name]) for view in views}


def of_night(session: SparkSession, view: View, events: pa.Table) -> list[Row]:
    """What the view says of all these events (with KNOWN_AT) together, in the order of its key."""
    found = session.createDataFrame(events.select(COUNTED.fieldNames()), COUNTED)
    return _plain(view, answered(view, found).drop(CLOSES))


def _last(session: SparkSession, view: View, log: list[pa.Table]) -> list[Row]:
    if not log:
        return []
    whole = session.createDataFrame(pa.concat_tables(log).combine_chunks()).withColumn("as_of", F.lit(AS_OF))
    return _plain(view, latest_rows(view, whole))


def _plain(view: View, found: DataFrame) -> list[Row]:
    """The view's columns as Python has them, times in UTC."""
    rows = found.orderBy(*view.key).select(*[one.name for one in view.columns]).collect()
    return [
        {
            name: value.astimezone(UTC) if isinstance(value, datetime) else value
            for name, value in row.asDict(recursive=True).items()
        }
        for row in rows
    ]
