"""Read the archive: of its files only those that may hold what is asked for.

Data flow: archive/events -> records of some days, or at and behind given offsets
Run: pytest tests/batch/test_touched.py

The archive writes a file per day and partition of the log, and Delta's log has the bounds of each file's columns.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.events import ARCHIVE
from infra.kafka.places import At
from infra.lake import arrow_tables, spark_tables


def behind(ends: Mapping[At, int]) -> Column:
    """Over topic, partition, offset: is the offset at or after its partition's end, or the partition not in `ends`?"""
    newer = F.lit(True)
    for (topic, partition), end in ends.items():
        own = (F.col("topic") == topic) & (F.col("partition") == partition)
        newer = newer & ~(own & (F.col("offset") < end))
    return newer


def days_of_records() -> set[date]:
    """The days of which the archive has records, from its log alone: the table is partitioned by day."""
    files = pa.table(arrow_tables.latest(ARCHIVE).get_add_actions(flatten=True))
    return {date.fromisoformat(day) for day in files["partition.day"].cast(pa.string()).to_pylist() if day}


def newer(session: SparkSession, ends: Mapping[At, int]) -> DataFrame:
    """The archive's records at or after `ends`; partitions that are not in `ends` are read from their beginning.

    Only files that may hold some are opened, so this costs what the new records cost, however old the archive is.
    """
    return in_files(session, lambda _, at, last: last >= ends.get(at, 0)).where(behind(ends))


def in_files(session: SparkSession, may_matter: Callable[[date, At, int], bool]) -> DataFrame:
    """The records of the archive's files of which (day, partition of the log, last offset) may matter.

    The archive writes a file per day and partition of the log. Others, which a compaction leaves, are always read.
    """
    return spark_tables.of_files(session, ARCHIVE, lambda files: _chosen(files, may_matter))


def archived_on(session: SparkSession, days: Collection[date], older: Collection[str] = ()) -> DataFrame:
    """The archive's records of some days, from the files of these days alone; and those of the topics `older` before them.

    Files of the days before may hold records of other topics too.
    """
    wanted = pa.array([str(day) for day in days], pa.string())

    def chosen(files: pa.Table) -> pa.Array:
        is_wanted = pc.is_in(files["partition.day"].cast(pa.string()), value_set=wanted)
        may_hold = _chosen(files, lambda day, at, _: at[0] in older and day < min(days)) if older else None
        if may_hold is None:
            return is_wanted if not older else pa.repeat(True, files.num_rows)
        # Of a file of several topics it is not known.
        return pc.or_(is_wanted, pc.fill_null(may_hold, True))

    return spark_tables.of_files(session, ARCHIVE, chosen)


def _chosen(files: pa.Table, may_matter: Callable[[date, At, int], bool]) -> pa.Array | None:
    bounds = [f"{side}.{name}" for name in ("topic", "partition") for side in ("min", "max")]
    if not {*bounds, "max.offset"} <= {*files.column_names}:
        return None
    days = files["partition.day"].cast(pa.string()).to_pylist()
    found = []
    for day, topic, last_topic, partition, last_partition, offset in zip(
        days, *(files[name].to_pylist() for name in (*bounds, "max.offset")), strict=True
    ):
        is_one = None not in (topic, offset) and (topic, partition) == (last_topic, last_partition)
        found.append(may_matter(date.fromisoformat(day), (topic, partition), offset) if is_one else None)
    return pa.array(found, pa.bool_())
