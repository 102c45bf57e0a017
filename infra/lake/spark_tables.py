"""Create, open and inspect the tables of the lake.

Data flow: Table -> Delta table under the lake root
Run: daybreak tables
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import deltalake
import pyarrow as pa
import pyarrow.compute as pc
from delta.tables import DeltaTable
from deltalake.exceptions import DeltaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, StructType

from infra.lake import access, arrow_tables, reader
from infra.lake.form import OFTEN_WRITTEN, PROPERTIES, refuse_all_foreign, refuse_foreign
from infra.lake.login import failed
from infra.lake.rows import arrow, from_arrow
from infra.lake.tables import Table
from infra.settings import settings


def create_missing(session: SparkSession, tables: Sequence[Table], often_written: bool = False) -> None:
    """Create the tables that are missing, and widen those that lack a column.

    delta-rs finds out which those are: Spark would take a second per table, in every step of every night.
    Raises PermanentFailure if another client has changed the form of one, before anything is written.
    """
    s = settings()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda table: reader.found(s, table.id), tables))
    there = [(table, at) for table, at in zip(tables, found, strict=True) if at is not None]
    refuse_all_foreign(there)
    complete = {table.id for table, at in there if _holds(StructType.fromJson(reader.schema(at)), table.schema)}
    for table in tables:
        if table.id not in complete:
            create(session, table, often_written)


def create(session: SparkSession, table: Table, often_written: bool = False) -> None:
    """Create the table where it is missing; an existing one gets the columns it lacks, and keeps its rows.

    delta-rs creates it, because Spark would take a second per table.
    """
    if not _make(table, PROPERTIES | (OFTEN_WRITTEN if often_written else {})):
        _widen(session, table)


def _make(table: Table, properties: Mapping[str, str]) -> bool:
    """Create the empty table; False if it was there. Raises TransientFailure if the store does not answer."""
    place, store = arrow_tables.place(table), arrow_tables.store(table)
    try:
        if deltalake.DeltaTable.is_deltatable(place, store):
            return False
        made = deltalake.DeltaTable.create(
            place,
            deltalake.Schema.from_json(table.schema.json()),
            description=table.description,
            partition_by=list(table.partitioned_by),
            # Only Spark knows some of these properties.
            configuration=properties,
            raise_if_key_not_exists=False,
            storage_options=store,
        )
        for name, check in table.constraints:
            made.alter.add_constraint({name: check})
    except (DeltaError, OSError) as failure:
        raise failed(f"{table.id} cannot be created at {place}", failure) from failure
    return True


def _widen(session: SparkSession, table: Table) -> None:
    if _holds(read(session, table).schema, table.schema):
        return
    refuse_foreign(table, arrow_tables.latest(table))
    nothing = session.createDataFrame([], table.schema)
    nothing.write.format("delta").mode("append").option("mergeSchema", "true").save(table.path)


def _holds(there: StructType, wanted: StructType) -> bool:
    return set(_columns(there)).issuperset(_columns(wanted))


def _columns(schema: DataType, path: str = "") -> Iterator[str]:
    """The path of every column, those inside structs and arrays too."""
    if isinstance(schema, ArrayType):
        yield from _columns(schema.elementType, path)
    if isinstance(schema, StructType):
        for field in schema:
            yield f"{path}.{field.name}"
            yield from _columns(field.dataType, f"{path}.{field.name}")


def read(session: SparkSession, table: Table, version: int | None = None) -> DataFrame:
    """The table's rows, now or as of a version."""
    access.reads(table)
    reader = session.read.format("delta")
    if version is not None:
        reader = reader.option("versionAsOf", version)
    return reader.load(table.path)


def of_day(session: SparkSession, table: Table, day: date) -> DataFrame:
    """The table's rows of one day, now. For tables with a column `day`, as partition or not."""
    return of_files(session, table, lambda files: _holds_day(files, day)).where(F.col("day") == F.lit(day))


def of_files(session: SparkSession, table: Table, chosen: Callable[[pa.Table], pa.Array | None]) -> DataFrame:
    """All rows of some of the table's files, now. delta-rs finds the files: Delta would take two Spark jobs and a second.

    `chosen` is given the table's files, with their partition values and the bounds of their columns where they are known
    (`partition.day`, `min.offset`, ...), and returns a boolean for each; null and None stand for "may be needed".
    """
    access.reads(table)
    handle = arrow_tables.latest(table)
    schema = StructType.fromJson(json.loads(handle.schema().to_json()))
    files = pa.table(handle.get_add_actions(flatten=True))
    needed = chosen(files)
    if needed is not None:
        files = files.filter(pc.fill_null(needed, True))
    paths = [f"{table.path}/{path}" for path in files["path"].to_pylist()]
    if not paths:
        return from_arrow(session, arrow([], schema), schema)
    found = session.read.schema(schema).option("basePath", table.path).parquet(*paths)
    return found.select(*schema.fieldNames())


def _holds_day(files: pa.Table, day: date) -> pa.Array | None:
    """Which files may hold rows of the day: by their partition, or by the bounds of their column `day`."""
    known = files.column_names
    if "partition.day" in known:
        return pc.equal(files["partition.day"].cast(pa.string()), str(day))
    if {"min.day", "max.day"} <= {*known}:
        least, most = files["min.day"].cast(pa.date32()), files["max.day"].cast(pa.date32())
        return pc.and_kleene(pc.less_equal(least, pa.scalar(day)), pc.greater_equal(most, pa.scalar(day)))
    return None


def version(session: SparkSession, table: Table) -> int:
    """The table's current version."""
    DeltaTable.forPath(session, table.path)  # Brings the driver's view of the log up to date.
    log = session._jvm.org.apache.spark.sql.delta.DeltaLog.forTable(session._jsparkSession, table.path)  # type: ignore[union-attr]
    return int(log.unsafeVolatileSnapshot().version())
