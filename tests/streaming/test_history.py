"""A year of orders that is sent in one go: late and spread over hundreds of days, it is only another micro-batch."""

import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import pytest
from corpus import encoded, order
from deltalake import DeltaTable
from fewer import few_views, only_views
from in_force import in_force
from pyspark.sql import SparkSession

from infra import failpoints
from infra.lake import spark_tables
from infra.lake.rows import frame
from streaming.all_tables import speed_tables
from streaming.micro_batch.ingest import Ingest
from streaming.micro_batch.rate import sized
from streaming.positions import held_back
from streaming.positions.checkpoint import Planned
from streaming.quarantine.rejections import Rejections
from streaming.recovery.restate import restate
from streaming.state import recovery
from streaming.tables.bronze import BRONZE, RECORD
from streaming.tables.progress import PROGRESS
from streaming.tables.silver import QUARANTINE, SILVER
from streaming.validation.validate import validate

pytestmark = pytest.mark.slow

DAYS, EVENTS = 318, 1500
KEYS = {"order_totals": "window_start", "order_payments": "order_id", "rolling_order_rate": "event_id"}
STATE_STORE = "org.apache.spark.sql.execution.streaming.state.StateStore"
ARRIVAL = datetime(2026, 1, 31, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def of_few_views() -> Iterator[None]:
    """What is read once, and said again, is no view's own."""
    with few_views():
        yield


@pytest.fixture
def stream(of_few_views: None, spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An ingest on a lake of files: `stream(records)` is a micro-batch of (event_id, event)."""
    monkeypatch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=local_lake))
    # Without a broker there is no open transaction to wait for.
    monkeypatch.setattr(held_back, "both_ends", lambda admin, places: {})
    speed = speed_tables()
    for table in (BRONZE, SILVER, QUARANTINE, PROGRESS, *speed.values()):
        spark_tables.create(spark, table)
    ends: list[int] = []
    texts: dict[str, str] = {}
    checkpoints: Any = SimpleNamespace(
        read=texts.get,
        write=texts.__setitem__,
        of=lambda query: str(local_lake / "checkpoints" / query),
        drop=lambda query: shutil.rmtree(local_lake / "checkpoints" / query, ignore_errors=True),
        planned=lambda query, number: Planned(ARRIVAL, {"orders": {"0": ends[number]}}),
        started_from=lambda query: {"orders": {"0": 0}},
    )
    lease: Any = SimpleNamespace(check=lambda: None)

    def begin() -> Ingest:
        return Ingest(spark, checkpoints, "l", in_force(spark), speed, lease, Rejections(1.0))

    class Stream:
        ingest = begin()
        written = texts

        def __call__(self, events: list[dict[str, Any]], number: int | None = None) -> None:
            """A micro-batch; `number` repeats one as another process would."""
            first = (ends[-1] if ends else 0) if number is None else (ends[number - 1] if number else 0)
            rows = [
                {
                    "topic": "orders", "partition": 0, "offset": first + place, "arrival": ARRIVAL,
                    "key": event["order_id"].encode(), "value": encoded(event),
                }
                for place, event in enumerate(events)
            ]  # fmt: skip
            if number is None:
                ends.append(first + len(rows))
                number = len(ends) - 1
            else:
                self.ingest = begin()
            self.ingest(validate(sized(frame(spark, rows, RECORD))), number)

        def rebuild(self) -> None:
            """What a stream with another checkpoint does first."""
            restate(spark, "m", in_force(spark), {"orders": {"0": ends[-1]}})

        def restart(self) -> None:
            """Another process of the same generation."""
            self.ingest = begin()

        def gains(self) -> None:
            """What a stream that has got a new view does first."""
            restate(spark, "l", in_force(spark), {})

        def rows(self, table: str) -> list[dict[str, Any]]:
            return (
                DeltaTable(str(local_lake / table)).to_pyarrow_dataset().to_table().to_pylist(maps_as_pydicts="strict")
            )

    return Stream()


def placed(name: str, at: datetime) -> dict[str, Any]:
    return order(name, 0, event_time=round(at.timestamp() * 1000), order_id=f"o-{crc32(name.encode()):08x}")


def history() -> list[dict[str, Any]]:
    chance = random.Random(7)
    spread = timedelta(days=DAYS) / timedelta(seconds=1)
    return [placed(f"h{n}", ARRIVAL - timedelta(seconds=chance.uniform(0, spread))) for n in range(EVENTS)]


def test_history_after_a_live_event_is_late_and_is_read_once(stream: Any) -> None:
    past = history()
    stream([placed("live", ARRIVAL)])
    stream(past[:1000])
    stream(past[500:])
    outcomes = Counter[str]()
    for row in stream.rows("speed/progress"):
        outcomes.update(row["rows"])
    assert (outcomes["accepted"], outcomes["duplicate"], outcomes["conflict"]) == (EVENTS + 1, 500, 0)
    silver = stream.rows("silver/events")
    assert len({row["event_id"] for row in silver}) == len(silver) == EVENTS + 1
    assert sum(row["late_by_ms"] > 0 for row in silver) > EVENTS * 0.99
    assert len({row["day"] for row in silver}) > 300
    assert len(stream.rows("bronze/events")) == EVENTS + 501


def test_a_batch_that_is_repeated_by_another_process_changes_nothing(stream: Any) -> None:
    past = history()[:60]
    stream([placed("live", ARRIVAL)])
    stream(past)
    names = ("bronze/events", "silver/events", "speed/order_totals", "speed/order_payments", "speed/progress")
    before = {name: sorted(map(repr, stream.rows(name))) for name in names}
    stream(past, number=1)
    assert {name: sorted(map(repr, stream.rows(name))) for name in names} == before


def test_a_new_generation_says_its_views_again_from_silver(stream: Any) -> None:
    for number in range(4):
        # The first have been open for three days.
        at = ARRIVAL - timedelta(minutes=40 * (4 - number), days=0 if number else 4)
        stream([placed(f"{number}-{n}", at + timedelta(seconds=20 * n)) for n in range(5)])
    stream.rebuild()
    stream.rebuild()
    for view in ("order_totals", "order_payments"):
        said = said_by_generation(stream, view)
        assert said["m"] == said["l"]
        assert {row["is_final"] for row in said["m"].values()} == {True, False}
    newest = max(stream.rows("speed/progress"), key=lambda row: row["generation"])
    assert (newest["generation"], newest["batch_id"], newest["offsets"][0]["to"]) == ("m", -1, 20)


def test_a_new_view_is_said_from_all_of_silver(stream: Any) -> None:
    with only_views("order_totals"):
        stream.restart()
        for number in range(3):
            at = ARRIVAL - timedelta(hours=4 - number)
            stream([placed(f"{number}-{n}", at + timedelta(seconds=20 * n)) for n in range(4)])
        stream.gains()
        assert stream.rows("speed/order_payments") == []
    stream.gains()
    stream.restart()
    stream([placed("last", ARRIVAL - timedelta(minutes=1))])
    said = {row["order_id"] for row in stream.rows("speed/order_payments")}
    assert len(said) == 13


def hours(stream: Any, restart: Callable[[], None]) -> None:
    """Micro-batches an hour and a half apart at first, and within the hour then; `restart` comes behind each of them."""
    for number, before in enumerate((400, 310, 290, 100)):
        at = ARRIVAL - timedelta(minutes=before)
        stream([placed(f"{number}-{n}", at + timedelta(seconds=20 * n)) for n in range(4)])
        restart()


def is_as_said_anew(stream: Any) -> bool:
    """Are the views as a new generation says them from silver?"""
    stream.rebuild()
    found = [said_by_generation(stream, view) for view in KEYS]
    return all(said["m"] == said["l"] and len(said["m"]) >= 4 for said in found)


def said_by_generation(stream: Any, view: str) -> dict[str, dict[Any, Any]]:
    """What each of two generations said last of each key of a view."""
    said: dict[str, dict[Any, Any]] = {"l": {}, "m": {}}
    for row in sorted(stream.rows(f"speed/{view}"), key=lambda row: row["batch_id"]):
        values = {name: value for name, value in row.items() if name not in ("as_of", "batch_id", "generation")}
        said[row["generation"]][row[KEYS[view]]] = values
    return said


def test_a_restart_reads_the_state_and_not_history(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "on_time_since", None)
    hours(stream, stream.restart)
    assert is_as_said_anew(stream)


def test_state_that_is_gone_is_made_again_from_the_tables(stream: Any, spark: SparkSession, local_lake: Path) -> None:
    def lose() -> None:
        jvm: Any = spark._jvm
        getattr(getattr(jvm, f"{STATE_STORE}$"), "MODULE$").unloadAll()
        shutil.rmtree(local_lake / "checkpoints" / recovery.FOLDER)
        stream.restart()

    hours(stream, lose)
    assert is_as_said_anew(stream)


def test_state_of_other_views_is_made_again(stream: Any) -> None:
    def other() -> None:
        stream.written[recovery.FILE] = stream.written[recovery.FILE].replace('"digest": "', '"digest": "of others ')
        stream.restart()

    hours(stream, other)
    assert is_as_said_anew(stream)
