"""A micro-batch's rows in Spark's tasks: the driver decides by ids and times, and commits what tasks have written.

Data flow: validated records -> a file per task; ids -> outcomes -> files of bronze, silver, quarantine, speed/<view> -> commits
Run: DAYBREAK_STREAM_PROFILE=spark python -m streaming
"""

from collections.abc import Mapping
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession

from infra.kafka.values import values_at
from infra.lake.folder import folder
from infra.lake.tables import Table
from infra.lake.task_files import append_files_once, target, united
from infra.settings import settings
from streaming.micro_batch import outcomes as rows_of
from streaming.micro_batch.in_driver import Map, stamp_of
from streaming.micro_batch.long_values import BEGINNING, LONG
from streaming.micro_batch.rate import SIZE, Rate
from streaming.micro_batch.staged import LENGTH, STAGED, Done, Job, decided_by, staging, together, writing
from streaming.positions.checkpoint import Checkpoints
from streaming.positions.watermark import arrow_time
from streaming.state.in_tasks import InTasks as Views
from streaming.state.packed import unpacked
from streaming.state.store import micros_of
from streaming.state.update_views import Keeping
from streaming.tables.bronze import BRONZE
from streaming.tables.progress import MicroBatch
from streaming.tables.silver import QUARANTINE, SILVER

FOLDER = "staged"


class InTasks:
    """The rows of one micro-batch after the other, as `InDriver`, without holding them."""

    def __init__(
        self,
        session: SparkSession,
        checkpoints: Checkpoints,
        rate: Rate,
        speed: Mapping[str, Table],
        definitions: Mapping[str, str],
    ) -> None:
        self._session, self._rate, self._speed, self._definitions = session, rate, speed, definitions
        # Of a stream that died.
        checkpoints.drop(FOLDER)
        self._folder = folder(settings(), checkpoints.of(FOLDER))
        self._targets = {one.id: target(one) for one in (BRONZE, SILVER, QUARANTINE)}
        self._done: list[Done] = []

    def read(self, validated: DataFrame, batch: MicroBatch) -> pa.Table:
        """Of each record what is decided by, in the order of their arrival. Raises AnotherRate as `Rate.begin` and `check`."""
        is_begun = self._rate.is_begun(batch)
        self._rate.begin(batch.batch_id, is_begun)
        staged = validated.mapInArrow(staging(self._folder), STAGED).toArrow()  # type: ignore[arg-type]
        self._paths = staged["path"].to_pylist()
        tables = [unpacked(body.as_buffer())["rows"] for body in staged["decide"]] or [_nothing(validated)]
        self._records = rows_of.in_order(together(tables))
        offsets = sum(end - start for *_, start, end in batch.offsets)
        self._rate.check(batch.batch_id, offsets, pc.sum(self._records[SIZE]).as_py() or 0, is_begun)
        return self._records

    def decided(self, outcome: pa.Array, watermark_ms: int | None, batch: MicroBatch) -> int:
        """Take the outcome of each record, and let tasks write them; returns how many of the events are late."""
        codes = np.asarray(pc.index_in(outcome, rows_of.NAMES), np.uint8)
        tasks, rows = np.asarray(self._records["task"]), np.asarray(self._records["row"])
        values = self._long_values()
        jobs = []
        for task, path in enumerate(self._paths):
            mine = tasks == task
            own = np.zeros(int(mine.sum()), np.uint8)
            own[rows[mine]] = codes[mine]
            long = {row: value for (of, row), value in values.items() if of == task}
            jobs.append(Job(path, own.tobytes(), long, watermark_ms, stamp_of(batch), self._definitions))
        spark = self._session.sparkContext
        work = writing(self._folder, self._targets)
        self._done = spark.parallelize(jobs, len(jobs)).map(work).collect() if jobs else []
        return sum(one.late for one in self._done)

    def bronze(self, batch: MicroBatch) -> None:
        """Commit the records."""
        self._commit(BRONZE, batch)

    def silver(self, batch: MicroBatch) -> None:
        """Commit the accepted events."""
        self._commit(SILVER, batch)

    def quarantine(self, batch: MicroBatch) -> pa.Table:
        """Commit what was rejected; returns topic and reasons."""
        self._commit(QUARANTINE, batch)
        return pa.concat_tables([unpacked(one.rejected)["rows"] for one in self._done])

    def views(self, views: Keeping | Views, batch: MicroBatch, more_comes: bool, each: Map) -> Mapping[str, pa.Table]:
        """Bring the views up to date and commit what was written, each view by `each`; returns the rows of alerts."""
        assert isinstance(views, Views)
        new = united(done.files[SILVER.id] for done in self._done)
        events = sum(one.rows for one in new)
        stamp = {**stamp_of(batch), "as_of": micros_of(arrow_time(batch.as_of))}
        times = arrow_time(batch.watermark), arrow_time(batch.next_watermark)
        files, alerts = views.update([one.path for one in new], events, *times, more_comes, stamp, self._definitions)

        def commit(view: str) -> None:
            append_files_once(files[view], self._speed[view], batch.writer, batch.version)
            batch.shown(self._speed[view])

        list(each(commit, files))
        for path in self._paths:
            with suppress(OSError):
                self._folder.files.delete_file(path)
        return alerts

    def _commit(self, table: Table, batch: MicroBatch) -> None:
        files = united(done.files[table.id] for done in self._done)
        append_files_once(files, table, batch.writer, batch.version)
        batch.shown(table)

    def _long_values(self) -> dict[tuple[int, int], bytes | None]:
        """By task and row the whole values of those that Spark had the beginning of: the driver fetches them, as they are few."""
        is_cut = pc.and_(pc.greater(self._records[SIZE], LONG), pc.equal(self._records[LENGTH], BEGINNING))
        cut = self._records.filter(pc.fill_null(is_cut, False)).to_pylist()
        places = [(row["topic"], row["partition"], row["offset"]) for row in cut]
        values = values_at(self._session, settings(), places) if places else {}
        return {(row["task"], row["row"]): values[place] for row, place in zip(cut, places, strict=True)}


def _nothing(validated: DataFrame) -> pa.Table:
    return decided_by(rows_of.arrow_schema(validated.schema).empty_table())
