"""Records in the tasks that validated them: put aside until the driver has decided, and then written to their tables.

Data flow: validated rows -> a file per task, and what decisions need -> outcomes -> files of bronze, silver, quarantine
Run: pytest tests/streaming/test_in_tasks.py

A record's bytes do not pass through the driver; of each record it gets its place, its id, its times and its reasons.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from infra.lake.folder import Folder
from infra.lake.task_files import Target, Written, write
from streaming.contracts import CONTRACTS
from streaming.micro_batch import outcomes as rows_of
from streaming.micro_batch.rate import SIZE
from streaming.state.packed import packed, unpacked
from streaming.tables.bronze import BRONZE
from streaming.tables.silver import QUARANTINE, SILVER

STAGED = StructType([StructField("path", StringType()), StructField("decide", BinaryType())])
"""Per task: the file of its records, in order of arrival; in the same order what the driver decides by."""
STAGED_IN_ARROW = to_arrow_schema(STAGED)
LENGTH = "length"
"""The column of the bytes of a record's value, as Spark had it."""
DECIDE = ("topic", "partition", "offset", "arrival", "key", "event_id", "event_time", "content_hash", "reasons", SIZE)
Batches = Iterable[pa.RecordBatch]


@dataclass(frozen=True)
class Job:
    """A file of records; per record the place of its outcome among CODES; whole values of long ones, by row; the watermark that
    late events are behind (epoch ms); the columns that every row gets; the versions of the contracts."""

    path: str
    outcomes: bytes
    values: Mapping[int, bytes | None]
    watermark_ms: int | None
    stamp: Mapping[str, Any]
    definitions: Mapping[str, str]


@dataclass(frozen=True)
class Done:
    """Per table the files of a job; how many of its events are late; of what went to quarantine topic and reasons."""

    files: Mapping[str, list[Written]]
    late: int
    rejected: bytes


def staging(folder: Folder) -> Callable[[Batches], Batches]:
    """For `mapInArrow`: validated rows -> STAGED; nothing of a task without any."""

    def made(batches: Batches) -> Batches:
        found = [batch for batch in batches if batch.num_rows]
        if found:
            rows = rows_of.in_order(pa.Table.from_batches(found)).combine_chunks()
            path = uuid.uuid4().hex
            folder.put(path, packed({"rows": rows}))
            yield pa.RecordBatch.from_pylist(
                [{"path": path, "decide": packed({"rows": decided_by(rows)})}], schema=STAGED_IN_ARROW
            )

    return made


def decided_by(rows: pa.Table) -> pa.Table:
    """Of validated rows what the driver decides by."""
    captured = pa.array([one.topic for one in CONTRACTS.values() if one.captured], pa.string())
    own = rows.select(DECIDE)
    # Only of captured rows the driver asks for the key.
    key = pc.if_else(pc.is_in(own["topic"], value_set=captured), own["key"], pa.scalar(None, pa.binary()))
    own = own.set_column(own.schema.get_field_index("key"), "key", key)
    return own.append_column(LENGTH, pc.binary_length(rows["value"]))


def writing(folder: Folder, targets: Mapping[str, Target]) -> Callable[[Job], Done]:
    """A task's work: the records of a job, as decided -> files of the three tables."""

    def made(job: Job) -> Done:
        with folder.files.open_input_file(job.path) as file:
            records = unpacked(file.read_buffer())["rows"]
        records = _whole(records, job.values).drop_columns([SIZE])
        outcome = rows_of.NAMES.take(pa.array(np.frombuffer(job.outcomes, np.uint8)))
        events = rows_of.silver_rows(records, outcome, job.definitions, job.watermark_ms, job.stamp)
        rejected = rows_of.quarantine_rows(records, outcome, job.stamp)
        rows = {BRONZE.id: rows_of.bronze_rows(records, job.stamp), SILVER.id: events, QUARANTINE.id: rejected}
        files = {name: write(own, targets[name]) for name, own in rows.items()}
        late = pc.sum(pc.greater(events["late_by_ms"], 0)).as_py() or 0
        return Done(files, late, packed({"rows": rejected.select(["topic", "reasons"])}))

    return made


def _whole(records: pa.Table, values: Mapping[int, bytes | None]) -> pa.Table:
    if not values:
        return records
    every = records["value"].to_pylist()
    for row, value in values.items():
        every[row] = value
    place = records.schema.get_field_index("value")
    return records.set_column(place, records.schema.field(place), pa.array(every, records.schema.field(place).type))


def together(tables: Sequence[pa.Table]) -> pa.Table:
    """The rows of all tasks, with the columns `task` and `row`: whose, and which of it."""
    found = []
    for task, own in enumerate(tables):
        numbered = own.append_column("task", pa.repeat(pa.scalar(task), own.num_rows))
        found.append(numbered.append_column("row", pa.array(np.arange(own.num_rows))))
    return pa.concat_tables(found)
