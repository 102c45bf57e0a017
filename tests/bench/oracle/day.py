"""A day of the shop in a lake of files: the log as Kafka would hold it, and what the stream would have made of it.

Data flow: infra/shop -> log (Parquet) -> bronze, silver, quarantine, speed, progress by the stream's own functions
Run: make bench-night

No service runs. The stream's clock is the broker's: an event is late by how much longer than the delay it was on its way.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.days.day import Day
from batch.night.all_tables import night_tables
from infra.lake import spark_tables
from infra.lake.writes import append_once
from infra.settings import settings
from infra.shop.faults import Copy, Faults
from infra.shop.run import Run
from streaming.deduplication.deduplicate import outcomes
from streaming.positions.gaps import BRONZE_GAPS
from streaming.positions.log import Log
from streaming.state.changelog import counted, known_at
from streaming.state.shared_plan import answered
from streaming.state.view_state import CLOSES
from streaming.tables.bronze import BRONZE, RECORD
from streaming.tables.progress import INGEST, PROGRESS, MicroBatch
from streaming.tables.silver import QUARANTINE, SILVER, accepted, rejected
from streaming.tables.speed import speed_table
from streaming.validation.validate import validate
from streaming.versions.definitions import EVENTS, definitions
from streaming.views import LOOKBACK, VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import LONG_REACHES

PARTITIONS = 2
GENERATION = "bench"
STEP = 50_000
"""Records that are held in memory at once."""
ROW = pa.schema(
    [
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("arrival", pa.timestamp("ms", tz="UTC")),
        ("key", pa.binary()),
        ("value", pa.binary()),
    ]
)


def shop(day: Day, events: int, seed: int, faults: Faults | None = None) -> Iterator[Copy]:
    """What the shop sends for a day of about `events` events, and around it until its rows are compared, by arrival."""
    start, end = (round(at.timestamp() * 1000) for at in day.around(LOOKBACK, LONG_REACHES))
    rate = events / timedelta(days=1).total_seconds()
    for copy in Run(start, end, rate, seed, ahead_ms=end, faults=faults or Faults()).records():
        yield copy._replace(send_ms=min(copy.send_ms, end - 1))


def write_log(copies: Iterable[Copy], folder: Path) -> Log:
    """Write records, in order of arrival, as `folder`/records.parquet; returns the bounds that Kafka would give."""
    ends: Counter[tuple[str, int]] = Counter()
    arriving = iter(copies)
    with pq.ParquetWriter(folder / "records.parquet", ROW) as file:
        while some := list(islice(arriving, STEP)):
            rows = []
            for copy in some:
                at = copy.topic, crc32(copy.key or b"") % PARTITIONS
                rows.append((*at, ends[at], copy.send_ms, copy.key, copy.value))
                ends[at] += 1
            columns = zip(*rows, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, ROW, strict=True)]
            file.write_batch(pa.record_batch(arrays, schema=ROW))
    return Log(dict.fromkeys(ends, 0), dict(ends))


def records(session: SparkSession, folder: Path) -> DataFrame:
    """The log's records, in the columns of RECORD."""
    return session.read.schema(RECORD).parquet(f"file:{folder / 'records.parquet'}")


def fill(session: SparkSession, day: Day, log: Log, found: DataFrame) -> None:
    """Create the tables of both layers, and write what a stream that has read the log to its end would have written."""
    of_the_stream = (BRONZE, BRONZE_GAPS, SILVER, QUARANTINE, PROGRESS)
    speed = [speed_table(view) for view in VIEWS.values()]
    for table in (*of_the_stream, *speed, *night_tables()):
        spark_tables.create(session, table)
    read(session, log, found, 0, day.end + LONG_REACHES - timedelta(seconds=settings().watermark_delay_seconds))


def read(session: SparkSession, log: Log, found: DataFrame, number: int, next_watermark: datetime) -> None:
    """Write what a micro-batch of these records writes, behind which the log is read to its end."""
    versions = definitions(session)
    batch = {"batch_id": F.lit(number).cast("long"), "generation": F.lit(GENERATION)}
    append_once(found.withColumns(batch), BRONZE, GENERATION, number)

    decided = outcomes(validate(found).withColumn("written", F.lit(False))).persist()
    on_its_way = F.unix_millis("arrival") - F.unix_millis("event_time")
    late_by = F.greatest(on_its_way - settings().watermark_delay_seconds * 1000, F.lit(0)).cast("long")
    append_once(
        accepted(decided, versions[EVENTS]).withColumns({"late_by_ms": late_by, **batch}), SILVER, GENERATION, number
    )
    append_once(rejected(decided).withColumns(batch), QUARANTINE, GENERATION, number)
    decided.unpersist()

    silver = spark_tables.read(session, SILVER).withColumn(KNOWN_AT, known_at())
    for view in VIEWS.values():
        said = {
            "is_final": F.col(CLOSES) < F.lit(next_watermark),
            "is_removed": F.lit(False),
            "as_of": F.lit(next_watermark),
            **batch,
            "definition": F.lit(versions[view.name]),
        }
        rows = answered(view, silver.where(counted(tuple(view.changelogs)))).withColumns(said)
        table = speed_table(view)
        append_once(rows.select(*table.schema.fieldNames()), table, GENERATION, number)
    finished = MicroBatch(INGEST, GENERATION, number, next_watermark, versions)
    finished.offsets = [(*at, 0, end) for at, end in log.end.items()]
    finished.next_watermark = next_watermark
    finished.record()
