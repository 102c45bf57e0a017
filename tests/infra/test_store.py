"""What the lake asks of its store, of each embedded one: doctor's needs, kills under commits, whose key writes what."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pyarrow as pa
import pytest
import urllib3
from pyspark.sql.types import DateType, LongType, StructField, StructType
from store_server import StoreServer, served
from store_tries import As, furnish

from infra.failures import TransientFailure
from infra.lake import arrow_tables, spark_tables
from infra.lake.login import act_as
from infra.lake.probe import NEEDS, probe
from infra.lake.rights import TRIES
from infra.lake.s3 import client
from infra.lake.tables import Table
from infra.lake.writes import append_once
from infra.settings import settings
from infra.store_users import User

TABLE = Table("silver", "kept", StructType([StructField("day", DateType()), StructField("n", LongType())]))
COMMITS, KILLS = 60, 4
LAKE = "lake"


@pytest.fixture(scope="module", params=["versitygw", "minio"])
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreServer]:
    """A running store."""
    with served(request.param, tmp_path_factory.mktemp(request.param)) as own:
        yield own


@pytest.fixture
def server(running: StoreServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoreServer]:
    """A running store whose home is this process's own; that it is this store follows from what is there."""
    monkeypatch.setenv("DAYBREAK_HOME", str(running.home))
    settings.cache_clear()
    yield running
    settings.cache_clear()


def test_it_has_all_that_doctor_looks_for(server: StoreServer) -> None:
    found = list(probe(server.settings))
    assert [one.problem for one in found] == [None] * (len(NEEDS) + 1)
    assert not list(client(server.settings).list_objects(LAKE, "probe/", recursive=True))


def test_a_home_keeps_the_store_that_made_its_lake(server: StoreServer) -> None:
    server.kill()
    server.start()
    assert server.process
    assert Path(psutil.Process(server.process.pid).exe()).name == server.made_by


def test_a_store_killed_under_commits_loses_and_doubles_none(server: StoreServer) -> None:
    act_as(User.STREAM)
    spark_tables.create(None, TABLE)  # type: ignore[arg-type]
    acknowledged: list[int] = []

    def write() -> None:
        while (number := len(acknowledged)) < COMMITS:
            row = pa.table({"day": pa.array([date(2026, 1, 5)], pa.date32()), "n": pa.array([number], pa.int64())})
            with suppress(TransientFailure):
                append_once(row, TABLE, "stream", number)
                acknowledged.append(number)

    writer = threading.Thread(target=write)
    writer.start()
    for kill in range(1, KILLS + 1):
        while len(acknowledged) < kill * COMMITS // (KILLS + 1):
            assert writer.is_alive()
            writer.join(0.01)
        server.kill()
        server.start()
    writer.join()
    assert sorted(arrow_tables.read(TABLE)["n"].to_pylist()) == [*range(COMMITS)]


def test_a_key_writes_below_its_users_folders_only(server: StoreServer) -> None:
    s = server.settings
    furnish(s)
    for one in (one for one in TRIES if one.what.startswith(("write in", "delete in"))):
        found = {user: set(As(s, user).does(one).values()) for user in User}
        assert {user for user, refusals in found.items() if refusals == {None}} == {*one.may}
        assert {user for user, refusals in found.items() if None not in refusals} == {*User} - {*one.may}


class Forgetful(BaseHTTPRequestHandler):
    """A proxy that passes everything on to the store but conditions, as an S3 store does that knows none."""

    store = ""
    pool = urllib3.PoolManager(maxsize=16)

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kept = {name: value for name, value in self.headers.items() if name.lower() != "if-none-match"}
        said = self.pool.request(self.command, self.store + self.path, body=body, headers=kept, preload_content=True)
        self.send_response_only(said.status)
        for name, value in said.headers.items():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(said.data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(said.data)

    do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = _pass_on  # noqa: N815

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_doctor_sees_a_store_without_conditional_puts(server: StoreServer) -> None:
    handler = type("OfThisStore", (Forgetful,), {"store": server.settings.s3_endpoint})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        through = server.settings.model_copy(update={"s3_endpoint": f"http://127.0.0.1:{proxy.server_port}"})
        wrong = {one.need: one.problem for one in probe(through) if one.problem}
        proxy.shutdown()
    assert list(wrong) == ["conditional PUT: of many writers one"]
    assert "8 were told that they did" in str(wrong)
