"""The gateway's guard on a real Spark: which statement it ends, with what word, and that the others go on."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark import InheritableThread
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from infra.sql import guard as guards
from infra.sql.guard import DBT, Guard

# It fills a JVM to its last megabyte and stops its threads, so no other test may share it.
pytestmark = pytest.mark.soak

LIST = "SELECT size(collect_list(struct(a.id, b.id y))) FROM range(100000) a CROSS JOIN range(100000) b"
ENDLESS = "SELECT count(*) FROM range(0, 1000000, 1, 1) a CROSS JOIN range(0, 1000000, 1, 1) b"


class Statement:
    """A statement in a thread and a group of its own, as the Thrift server runs it."""

    def __init__(self, session: SparkSession, group: str, sql: str, text: str) -> None:
        self.said: str | None = None

        def run() -> None:
            session.sparkContext.setJobGroup(group, text, interruptOnCancel=True)
            try:
                self.said = str(session.sql(sql).collect()[0][0])
            except (PySparkException, Py4JError) as failure:
                self.said = str(failure)

        self.thread = InheritableThread(target=run)
        self.thread.start()

    def ends(self) -> str:
        self.thread.join(timeout=120)
        assert self.said is not None
        return self.said


def until(what: Callable[[], bool], seconds: float = 60) -> None:
    give_up = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < give_up
        time.sleep(0.05)


@pytest.fixture
def spill(tmp_path: Path) -> Path:
    (tmp_path / "rows").write_bytes(b"x" * 2_000_000)
    return tmp_path


def looked(guard: Guard) -> str:
    """What the guard says when it ends something; it looks twice a second."""
    told: list[str] = []
    until(lambda: bool(told.extend(filter(None, [guard.look()])) or told))
    return told[0]


def test_the_greediest_is_ended_and_dbts_statement_last(spark: SparkSession, spill: Path) -> None:
    guard = Guard(spark, spill, 1_000_000, "1g")
    builds = Statement(spark, "builds", ENDLESS, f'{DBT}, "node_id": "x"}} */ create table')
    asks = Statement(spark, "asks", ENDLESS, "SELECT too much")
    until(lambda: {one.group for one in guard.statements()[0]} == {"builds", "asks"})
    told = looked(guard)
    assert "ended the statement 'SELECT too much'" in told
    assert "may fill 0 (DAYBREAK_GATEWAY_SPILL_MB)" in told
    assert "daybreak: the gateway's statements had filled 1 MB of the disk" in asks.ends()
    assert builds.said is None
    until(lambda: not guard.statements()[1])
    assert "dbt" in looked(guard)
    assert "greediest statement was ended" in builds.ends()


def test_with_room_for_all_nothing_is_ended(spark: SparkSession, spill: Path) -> None:
    guard = Guard(spark, spill, 1 << 30, "1g")
    assert guard.look() is None
    assert Statement(spark, "small", "SELECT sum(id) FROM range(1000)", "small").ends() == "499500"


def test_a_list_that_fills_memory_ends_and_its_threads_stop(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A join of all with all looks only after millions of rows whether it was cancelled."""
    monkeypatch.setattr(guards, "FULL", 0.5)
    guard = Guard(spark, tmp_path, 1 << 30, "2g")
    asks = Statement(spark, "lists", LIST, LIST)
    told: list[str | None] = []

    def is_ended() -> bool:
        told.append(guard.look())
        return asks.said is not None

    until(is_ended, 120)
    assert any(one and "memory (2g, DAYBREAK_GATEWAY_MEMORY) was nearly full" in one for one in told)
    assert "daybreak: the gateway's memory" in asks.ends()

    def are_gone() -> bool:
        guard.look()
        return not guard.statements()[1]

    until(are_gone, 60)
    assert Statement(spark, "after", "SELECT sum(id) FROM range(1000)", "after").ends() == "499500"
