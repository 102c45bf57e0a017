"""A record after midnight touches the day before only if it can change a row of it, and never when it cannot."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corpus import encoded, identity, order, payment
from fewer import only_views
from pyspark.sql import DataFrame, SparkSession

from batch.archive.archived import in_files, newer
from batch.archive.events import ARCHIVE, with_envelope
from batch.days.day import Day
from batch.days.day_plan import Redo
from batch.due.affected_days import Touched
from batch.due.affected_rows import touched_rows
from batch.truth.recompute import TRUTH, TRUTH_QUARANTINE, Decided, truth, truth_table, view_day
from infra import failpoints
from infra.lake import arrow_tables, spark_tables
from infra.lake.rows import frame
from infra.lake.writes import append_once
from streaming.tables.bronze import RECORD
from streaming.tables.silver import SILVER, accepted
from streaming.versions.definitions import EVENTS, of_topic
from streaming.views import VIEWS

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 30))
NOON, MIDNIGHT = DAY.start + timedelta(hours=12), DAY.end
BEFORE = {"orders": ("orders", 0), "payments": ("payments", 0)}
Sent = tuple[str, bytes, bytes]
"""Topic, key, value."""


@pytest.fixture
def lake(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> SparkSession:
    """With tables for the views of the registry."""
    monkeypatch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=local_lake))
    for table in (ARCHIVE, SILVER, TRUTH, TRUTH_QUARANTINE, *map(truth_table, VIEWS.values())):
        spark_tables.create(spark, table)
    return spark


@pytest.fixture
def few() -> Iterator[None]:
    """Of these each border of a day is one: an hour for a payment, minutes before an order, minutes that hold it."""
    with only_views("order_payments", "rolling_order_rate", "orders_last_8_minutes"):
        yield


@pytest.fixture
def own(few: None, lake: SparkSession) -> SparkSession:
    return lake


@pytest.fixture
def third(seed: int) -> Iterator[None]:
    """Each seed has a third of the views, so that two have each: a history of all takes a minute."""
    with only_views(*list(VIEWS)[seed % 3 :: 3]):
        yield


def ordered(name: str, at: datetime) -> Sent:
    value = order(name, 0, event_time=millis(at), order_id=order_id(name))
    return "orders", value["order_id"].encode(), encoded(value)


def paid(name: str, at: datetime, which: str = "") -> Sent:
    value = payment(f"{name} paid {which}", 0, event_time=millis(at), order_id=order_id(name))
    return "payments", value["order_id"].encode(), encoded(value)


def order_id(name: str) -> str:
    return f"o-{identity(name, 0).replace('-', '')}"


def millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


class Log:
    """Kafka and the archive in one: a partition per topic, and a commit per arrival of several records."""

    def __init__(self, session: SparkSession) -> None:
        self.session, self.ends, self.commits = session, dict.fromkeys(BEFORE.values(), 0), 0

    def arrive(self, *sent: Sent) -> None:
        for topic in BEFORE:
            rows = []
            for _, key, value in (one for one in sent if one[0] == topic):
                at = BEFORE[topic]
                rows.append({"topic": at[0], "partition": at[1], "offset": self.ends[at], "key": key, "value": value})
                rows[-1]["arrival"] = MIDNIGHT + timedelta(days=4)
                self.ends[at] += 1
            if rows:
                self.commits += 1
                found = with_envelope(frame(self.session, rows, RECORD))
                append_once(found, ARCHIVE, "test", self.commits)

    def touched(self, since: dict[Any, int], day: Day = DAY) -> Redo:
        return Touched(self.session, {day.date: since}).redo(day.date)


def settled(log: Log) -> dict[Any, int]:
    """The day's truth from what has arrived; the archive's ends."""
    truth(log.session, DAY, "run", dict.fromkeys((EVENTS, *map(of_topic, BEFORE), *VIEWS), "v"))
    return dict(log.ends)


def test_only_what_can_change_the_day_touches_it(own: SparkSession) -> None:
    log = Log(own)
    log.arrive(ordered("at noon", NOON), ordered("at its end", MIDNIGHT - timedelta(minutes=10)))
    ends = settled(log)
    assert not log.touched(ends)
    # The next day's first hour: orders of its own, and their payments.
    later = MIDNIGHT + timedelta(minutes=8)
    log.arrive(ordered("next", later), paid("next", later + timedelta(minutes=1)))
    assert not log.touched(ends)
    looked_at = Touched(own, {DAY.date: ends})
    assert not looked_at.redo(DAY.date)
    assert looked_at.untouched == {DAY.date}
    # After the three days in which a payment counts, it changes nothing.
    log.arrive(paid("at its end", MIDNIGHT + timedelta(days=3), "too late"))
    assert not log.touched(ends)
    log.arrive(paid("at its end", MIDNIGHT + timedelta(days=2)))
    assert log.touched(ends) == Redo(frozenset({"order_payments"})), "no other view has a row of both"
    assert not log.touched(dict(log.ends)), "nothing is newer than all of it"
    ends = settled(log)
    log.arrive(paid("at its end", MIDNIGHT + timedelta(days=2, hours=1), "again"))
    assert not log.touched(ends), "only the first payment counts"
    log.arrive(paid("at its end", MIDNIGHT + timedelta(hours=5), "before"))
    assert log.touched(ends).views == {"order_payments"}


def test_the_days_with_open_rows_are_asked_at_once(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    log, asked = Log(own), list[list[date]]()
    log.arrive(ordered("unpaid", NOON))
    read_to = {DAY.date - timedelta(days=n): settled(log) for n in range(2)}
    log.arrive(paid("unpaid", MIDNIGHT + timedelta(days=2)))

    def noted(session: SparkSession, views: Any, days: list[date], ends: Any) -> dict[date, set[str]]:
        asked.append(days)
        return touched_rows(session, views, days, ends)

    monkeypatch.setattr("batch.due.affected_days.touched_rows", noted)
    touched = Touched(own, read_to)
    assert {day for day in read_to if touched.redo(day)} == {DAY.date}
    assert asked == [[*read_to]]
    assert touched.untouched == {*read_to} - {DAY.date}


def test_records_next_to_the_day_touch_it_if_a_window_holds_both(own: SparkSession) -> None:
    log = Log(own)
    log.arrive(ordered("soon", DAY.start + timedelta(minutes=2)))
    ends = settled(log)
    log.arrive(ordered("long before", DAY.start - timedelta(minutes=20)))
    assert not log.touched(ends)
    log.arrive(ordered("just before", DAY.start - timedelta(minutes=2)))
    assert log.touched(ends).views == {"rolling_order_rate"}, "it counts in the five minutes up to an order of the day"
    ends = dict(log.ends)
    log.arrive(ordered("just after", MIDNIGHT + timedelta(minutes=3)))
    assert log.touched(ends).views == {"orders_last_8_minutes"}, "it counts in eight minutes that begin on the day"


def test_a_record_of_the_day_always_touches_it(own: SparkSession) -> None:
    log = Log(own)
    log.arrive(ordered("first", NOON))
    ends = settled(log)
    log.arrive(("payments", b"k", b"no JSON at all"))
    assert not log.touched(ends), "it has the day of its arrival"
    log.arrive(ordered("late", NOON))
    assert log.touched(ends) == Redo(topics=frozenset({"orders"}))
    assert not log.touched(ends, Day(DAY.date - timedelta(days=1)))


def test_what_is_rejected_after_midnight_touches_nothing(own: SparkSession) -> None:
    log = Log(own)
    log.arrive(ordered("at its end", MIDNIGHT - timedelta(minutes=10)))
    ends = settled(log)
    topic, key, value = paid("at its end", MIDNIGHT + timedelta(minutes=5))
    log.arrive((topic, key, value.replace(b'"amount_cents":2498', b'"amount_cents":-1')))
    assert not log.touched(ends)


def test_only_files_with_newer_records_are_opened(own: SparkSession) -> None:
    log = Log(own)
    for number in range(3):
        log.arrive(ordered(f"order {number}", NOON), paid(f"order {number}", NOON))
    assert len(newer(own, {BEFORE["orders"]: 2, BEFORE["payments"]: 3}).inputFiles()) == 1
    found = newer(own, {BEFORE["orders"]: 1}).select("topic", "offset").collect()
    assert sorted(map(tuple, found)) == [("orders", 1), ("orders", 2), *(("payments", n) for n in range(3))]
    # A compaction mixes the partitions: such a file is read, and its older records are left out.
    arrow_tables.latest(ARCHIVE).optimize.compact()
    found = newer(own, {BEFORE["orders"]: 2, BEFORE["payments"]: 3}).select("topic", "offset").collect()
    assert list(map(tuple, found)) == [("orders", 2)]


def test_one_scan_opens_what_is_newer_however_many_days_are_settled(
    own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, days = Log(own), [Day(DAY.date - timedelta(days=n)) for n in range(0, 20, 4)]
    for day in days:
        log.arrive(ordered(f"order of {day}", day.start + timedelta(hours=12)))
    read_to = {day.date: dict(log.ends) for day in days}
    log.arrive(ordered("late", days[2].start + timedelta(hours=12)))
    scans: list[DataFrame] = []

    def scanned(*arguments: Any) -> DataFrame:
        scans.append(in_files(*arguments))
        return scans[-1]

    monkeypatch.setattr("batch.due.affected_days.in_files", scanned)
    touched = Touched(own, read_to)
    assert [day for day in days if touched.redo(day.date)] == [days[2]]
    assert [len(scan.inputFiles()) for scan in scans] == [1]


def traffic(chance: random.Random, names: list[str], around: int) -> Iterator[Sent]:
    """Orders and payments within `around` minutes of both ends of the day, and some days later; some payments for orders that
    were never placed."""
    for _ in range(chance.randint(1, 4)):
        border = chance.choice((DAY.start, MIDNIGHT, MIDNIGHT, *(MIDNIGHT + timedelta(days=n) for n in (1, 3))))
        at = border + timedelta(minutes=chance.randint(-around, around), seconds=chance.randint(0, 59))
        if names and chance.random() < 0.6:
            yield paid(chance.choice([*names, "never placed"]), at, f"{chance.random()}")
        else:
            names.append(f"order {chance.random()}")
            yield ordered(names[-1], at)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 18))])
def test_a_day_that_is_not_touched_keeps_every_row(third: None, lake: SparkSession, seed: int) -> None:
    chance, log, names = random.Random(seed), Log(lake), list[str]()
    log.arrive(*traffic(chance, names, 90), ordered("one", NOON))
    ends, before = settled(log), {name: rows(lake, name) for name in VIEWS}
    log.arrive(*(one for one in traffic(chance, names, 90) if not of_day(one)))
    if log.touched(ends):
        pytest.skip("these records touch the day, so nothing is claimed of it")
    known = Decided(lake)
    events = accepted(known.around(DAY), "v")
    for name, view in VIEWS.items():
        assert sorted(map(str, view_day(view, events, DAY).collect())) == before[name]
    known.release()


def of_day(sent: Sent) -> bool:
    at = datetime.fromtimestamp(json.loads(sent[2])["event_time"] / 1000, UTC)
    return DAY.start <= at < MIDNIGHT


def rows(session: SparkSession, view: str) -> list[str]:
    found: DataFrame = spark_tables.of_day(session, truth_table(VIEWS[view]), DAY.date)
    return sorted(map(str, found.drop("definition", "run").collect()))
