"""A lake that MinIO made moves to versitygw whole, with its times; what is half moved counts for nothing."""

import io
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.types import DateType, LongType, StructField, StructType
from store_server import StoreServer

from infra.failures import PermanentFailure, TransientFailure
from infra.lake import arrow_tables, copied, spark_tables
from infra.lake.login import act_as
from infra.lake.s3 import client
from infra.lake.tables import Table
from infra.lake.writes import append_once
from infra.services.move_store import move
from infra.settings import settings
from infra.store_users import User

TABLE = Table("silver", "moved", StructType([StructField("day", DateType()), StructField("n", LongType())]), ("day",))
LARGE = bytes(range(256)) * 4096 * 12


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoreServer]:
    """MinIO, with a table, another bucket and an object of several parts; its home has no setting that names a store."""
    monkeypatch.setenv("DAYBREAK_HOME", str(tmp_path))
    monkeypatch.setenv("DAYBREAK_STORE", "minio")
    act_as(User.ROOT)
    own = StoreServer(tmp_path)
    settings.cache_clear()
    own.start()
    try:
        monkeypatch.delenv("DAYBREAK_STORE")
        settings.cache_clear()
        spark_tables.create(None, TABLE)  # type: ignore[arg-type]
        for number in range(3):
            append(number)
        client(own.settings).make_bucket("older")
        client(own.settings).put_object("older", "gold/a b/ü%=1", io.BytesIO(LARGE), -1, part_size=5 * 2**20)
        yield own
    finally:
        own.kill()
    settings.cache_clear()


def append(number: int) -> None:
    row = pa.table({"day": pa.array([date(2026, 1, 5)], pa.date32()), "n": pa.array([number], pa.int64())})
    append_once(row, TABLE, "stream", number)


def objects(own: StoreServer) -> dict[tuple[str, str], tuple[int, float]]:
    """Size and time of every object; S3 tells a second."""
    store = client(own.settings)
    return {
        (bucket.name, str(one.object_name)): (one.size or 0, one.last_modified.timestamp() // 1)
        for bucket in store.list_buckets()
        for one in store.list_objects(bucket.name, recursive=True)
    }


def test_a_moved_lake_is_whole_and_goes_on(server: StoreServer) -> None:
    before = objects(server)
    server.kill()

    def dies(number: int) -> None:
        raise TransientFailure(f"after {number}")

    with pytest.raises(TransientFailure, match="after 1"):
        move(server.settings, dies)
    assert server.settings.store == "minio"

    told: list[int] = []
    assert move(server.settings, told.append) == len(before) == told[-1]
    assert server.settings.store == "versitygw"
    server.start()
    assert objects(server) == before
    assert client(server.settings).get_object("older", "gold/a b/ü%=1").read() == LARGE
    append(2)
    append(3)
    assert sorted(arrow_tables.read(TABLE)["n"].to_pylist()) == [0, 1, 2, 3]
    with pytest.raises(PermanentFailure, match="nothing to move"):
        move(server.settings, told.append)


def test_a_file_that_is_not_what_was_read_is_told(server: StoreServer, tmp_path: Path) -> None:
    store, other = client(server.settings), tmp_path / "older" / "gold" / "a b" / "ü%=1"
    other.parent.mkdir(parents=True)
    other.write_bytes(LARGE[:-1] + b"x")
    for one in store.list_objects("lake", recursive=True):
        file = tmp_path / "lake" / str(one.object_name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(store.get_object("lake", str(one.object_name)).read())
    with pytest.raises(TransientFailure, match="ü%=1 does not hold what was read"):
        copied.copy(store, store, tmp_path, lambda number: None)
