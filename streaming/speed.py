"""Speed: what the stream says now, appended as it says it.

Data flow: silver's on-time events -> watermark -> View.define -> speed/<view>, then progress
Run: python -m streaming
"""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import LongType, StringType, StructField, StructType, TimestampType

from infra.drills import point
from infra.lease import Lease
from infra.settings import settings
from infra.tables import Table
from infra.writes import append_once
from streaming.checkpoint import Checkpoints
from streaming.progress import MicroBatch
from streaming.silver import EVENT, SILVER, topic_events
from streaming.views.view import View

SAID = [
    StructField("as_of", TimestampType()),
    StructField("batch_id", LongType()),
    StructField("lineage", StringType()),
    StructField("definition", StringType()),
]
"""When the stream said a row, in which micro-batch of which checkpoint, by which version of the view."""

EVERYTHING = 2**31 - 1
"""Files per trigger. A view that starts on a full silver reads it as one micro-batch: split, Spark's first watermark
would drop the rest. Afterwards a trigger finds few files anyway, because ingest has a rate limit."""


def view_schema(session: SparkSession, view: View) -> StructType:
    """The columns of the view's rows, with their day."""
    events = session.createDataFrame([], EVENT)
    return view.rows({topic: topic_events(events, topic) for topic in view.inputs}).schema


def speed_table(session: SparkSession, view: View) -> Table:
    """speed/<view>: the log of what the stream said."""
    columns = [StructField(field.name, field.dataType) for field in view_schema(session, view)]
    return Table("speed", view.name, StructType(columns + SAID))


def said_last(view: View, speed: DataFrame) -> DataFrame:
    """The current answer of a speed log: per key and day the preferred row, and of its repeats the latest."""
    return view.answer(speed, F.col("as_of").desc(), F.col("batch_id").desc())


def on_time(session: SparkSession, view: View, topic: str) -> DataFrame:
    """A topic's on-time events as a stream with the watermark of all topics."""
    delay = f"{settings().delay_seconds} seconds"
    source = session.readStream.format("delta").option("maxFilesPerTrigger", EVERYTHING).load(SILVER.path)
    clocked = (
        source.where(F.col("late_by_ms") == 0)
        .select("topic", "event_id", "event_type", "event_time", topic)
        .withWatermark("event_time", delay)
        # A barrier: without it Spark pushes the topic's filter below the watermark, and a silent topic stops the clock.
        .observe(f"{view.name}_{topic}", F.max("event_time").alias("latest"))
    )
    return topic_events(clocked, topic)


class Speed:
    """The micro-batches of one view's query."""

    def __init__(
        self, session: SparkSession, view: View, checkpoints: Checkpoints, lineage: str, definition: str, lease: Lease
    ) -> None:
        self._session = session
        self._view = view
        self._checkpoints = checkpoints
        self._lineage = lineage
        self._definition = definition
        self._lease = lease
        self._table = speed_table(session, view)

    def __call__(self, rows: DataFrame, batch_id: int) -> None:
        """Append what the view said in this micro-batch."""
        self._lease.check()
        planned = self._checkpoints.planned(self._view.name, batch_id)
        batch = MicroBatch(self._view.name, self._lineage, batch_id, planned, self._definition)
        batch.silver_version = -1 if planned.in_snapshot else planned.silver_version
        said = {
            "as_of": F.lit(planned.as_of).cast("timestamp"),
            "batch_id": F.lit(batch_id).cast("long"),
            "lineage": F.lit(self._lineage),
            "definition": F.lit(self._definition),
        }
        with batch.timed("speed"):
            append_once(rows.withColumns(said).coalesce(1), self._table, batch.writer, batch_id)
        batch.shown(self._table)
        point(f"{self._view.name}.after-speed")
        batch.record(self._session)

    def start(self) -> StreamingQuery:
        """Start the view's query."""
        # A batch without data only lets a join say what a moved watermark has decided; a view that updates has said it all.
        no_data = str(self._view.mode == "append").lower()
        self._session.conf.set("spark.sql.streaming.noDataMicroBatches.enabled", no_data)
        events = {topic: on_time(self._session, self._view, topic) for topic in self._view.inputs}
        return (
            self._view.rows(events)
            .writeStream.queryName(self._view.name)
            .outputMode(self._view.mode)
            .option("checkpointLocation", self._checkpoints.of(self._view.name))
            .trigger(processingTime=f"{settings().view_trigger_seconds} seconds")
            .foreachBatch(self)
            .start()
        )
