"""A disk without room: a sentence says what was not written, what stands there stays, and with room it goes on."""

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.types import BinaryType, DateType, StructField, StructType

from infra.failures import TransientFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.tables import Table
from infra.lake.writes import append_once, replace_days

TABLE = Table("silver", "full", StructType([StructField("day", DateType()), StructField("value", BinaryType())]))
DAY = date(2026, 1, 5)


def rows(value: bytes) -> pa.Table:
    return pa.table({"day": pa.array([DAY], pa.date32()), "value": pa.array([value], pa.binary())})


@contextmanager
def no_room(size: int) -> Iterator[None]:
    """The system refuses a file's bytes beyond `size`, as a full disk does, and delta-rs says it in the same way."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("local_lake")
@pytest.mark.parametrize(
    "write",
    [
        lambda rows: append_once(rows, TABLE, "stream", 2),
        lambda rows: replace_days(rows, TABLE, [DAY]),
    ],
    ids=["append", "replace"],
)
def test_a_full_disk_is_told_and_nothing_is_lost(write: Callable[[pa.Table], None], tmp_path: Path) -> None:
    spark_tables.create(None, TABLE)  # type: ignore[arg-type]
    append_once(rows(b"first"), TABLE, "stream", 1)
    large = rows(bytes(range(256)) * 4096)
    with (
        no_room(4096),
        pytest.raises(TransientFailure, match="silver/full was not written: the store has no room left"),
    ):
        write(large)
    assert arrow_tables.read(TABLE)["value"].to_pylist() == [b"first"]
    write(large)
    write(large)
    assert large["value"][0] in [*arrow_tables.read(TABLE)["value"]]
    assert arrow_tables.count(TABLE) <= 2
