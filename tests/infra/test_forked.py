"""A lake is copied by a real store while it is written, and removed again; and one file says which is in force."""

import io
from collections.abc import Iterator
from threading import Event, Thread

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from minio import Minio
from store_server import StoreServer, served

from infra import in_force
from infra.lake import reader
from infra.lake.forked import copy, drop
from infra.lake.s3 import client
from infra.services import fork
from infra.settings import load
from infra.store_users import User

LAYERS = ("bronze", "speed")
PROGRESS = "speed/progress"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreServer]:
    with served("versitygw", tmp_path_factory.mktemp("forked")) as own:
        yield own


@pytest.fixture
def store(server: StoreServer, monkeypatch: pytest.MonkeyPatch) -> Minio:
    monkeypatch.setenv("DAYBREAK_HOME", str(server.home))
    return client(server.settings, user=User.ROOT)


def append(table: str, number: int, bucket: str = "lake") -> None:
    write_deltalake(f"s3://{bucket}/{table}", pa.table({"n": [number]}), mode="append", storage_options=options())


def options() -> dict[str, str]:
    return reader.options(load(), User.ROOT)


def numbers(table: str, bucket: str) -> list[int]:
    found = DeltaTable(f"s3://{bucket}/{table}", storage_options=options())
    return sorted(found.to_pyarrow_table()["n"].to_pylist())


def test_a_copy_of_tables_in_writing_is_whole_and_consistent(store: Minio) -> None:
    stop = Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            # As the stream does: progress names what is there.
            append("bronze/events", number)
            append(PROGRESS, number)
            number += 1
            if number % 10 == 0:
                DeltaTable(f"s3://lake/{PROGRESS}", storage_options=options()).create_checkpoint()

    for layer in LAYERS:
        append(f"{layer}/other", 0)
    thread = Thread(target=write)
    thread.start()
    try:
        while not any(store.list_objects("lake", f"{PROGRESS}/_delta_log/_last_checkpoint")):
            stop.wait(0.1)
        store.make_bucket("lake-2")
        counted: list[int] = []
        assert copy(store, "lake", "lake-2", LAYERS, PROGRESS, counted.append) == counted[-1] == len(counted)
    finally:
        stop.set()
        thread.join()
    done = numbers(PROGRESS, "lake-2")
    assert done == [*range(len(done))]
    assert len(done) >= 10
    assert numbers("bronze/events", "lake-2")[: len(done)] == done, "what progress names is there"
    assert numbers("speed/other", "lake-2") == [0]
    append(PROGRESS, len(done), "lake-2")
    assert numbers(PROGRESS, "lake-2") == [*range(len(done) + 1)], "it is a table of its own"


def test_a_bucket_is_removed_with_all_that_is_ours(store: Minio) -> None:
    store.make_bucket("lake-3")
    append(PROGRESS, 1, "lake-3")
    store.put_object("lake-3", "theirs/note", io.BytesIO(b"mine"), 4)
    drop(store, "lake-3", LAYERS)
    assert [one.object_name for one in store.list_objects("lake-3", recursive=True)] == ["theirs/note"]
    drop(store, "lake-3")
    assert not store.bucket_exists("lake-3")
    drop(store, "lake-3")


def test_after_the_switch_every_process_finds_the_other_lake(server: StoreServer, store: Minio) -> None:
    s = server.settings
    tried = fork.begin(s, {"lake", "lake-2"}, code="here")
    try:
        assert (s.bucket, tried.own.bucket, tried.own.publishes) == ("lake", "lake-3", False)
        assert tried.own.s3_secret_key == s.s3_secret_key
        in_force.enforce(s.home, tried.said["places"])
        now = load()
        assert [getattr(now, name) for name in in_force.NAMES] == [getattr(tried.own, name) for name in in_force.NAMES]
        assert now.publishes
        found = fork.known(now)
        assert found
        assert found.said["before"]["bucket"] == "lake"
    finally:
        (server.home / in_force.LAKE_FILE).unlink()
        tried.forget()
    assert fork.known(s) is None


@pytest.mark.parametrize(
    ("bucket", "taken", "name"),
    [
        ("lake", set(), "lake-2"),
        ("lake-2", set(), "lake-3"),
        ("lake", {"lake-2", "lake-3"}, "lake-4"),
        ("a-b", set(), "a-b-2"),
    ],
)
def test_a_new_lakes_name_is_the_next_one(bucket: str, taken: set[str], name: str) -> None:
    assert fork.following(bucket, taken) == name
