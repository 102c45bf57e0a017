"""The curve of a day made by hand, whose waits and outcomes are known: from archive and truth to the tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from corpus import encoded, order
from fewer import few_views
from in_force import in_force
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from traffic import paid, placed

from batch.archive.events import ARCHIVE
from batch.curve.curve import curve
from batch.curve.lateness import EVENT_LATENESS
from batch.curve.points import CURVE
from batch.days.day import Day
from batch.days.day_plan import DayPlan
from batch.settlement.settlements import SETTLEMENTS, settle
from batch.truth.reach import reach
from batch.truth.recompute import TRUTH, TRUTH_QUARANTINE, decided, truth_table, view_day
from infra.failures import PermanentFailure
from infra.lake import spark_tables
from infra.lake.rows import frame
from infra.lake.tables import Table
from streaming.tables.progress import INGEST, PROGRESS
from streaming.tables.silver import QUARANTINE, SILVER, accepted
from streaming.versions.definitions import EVENTS, of_topic
from streaming.views import VIEWS

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 31))
NEXT = DAY.end
QUIET = Day(date(2026, 2, 5))
"""Another settled day, on which nothing happened."""
IN_FORCE = 600


class Sent(NamedTuple):
    """A record: its bytes, when it came, its event time, and the stream's micro-batch, None where it is no event."""

    topic: str
    key: bytes | None
    value: bytes | None
    event_id: str | None
    arrival: datetime
    event_time: datetime
    batch: int | None
    is_conflict: bool = False


AT = ("topic", "partition", "offset")


@dataclass(frozen=True)
class Night:
    """A session with the definitions in force."""

    spark: SparkSession
    definitions: Mapping[str, str]

    def curve(self, day: Day = DAY) -> tuple[Day, ...]:
        """Draw what is due."""
        return curve(self.spark, day, self.definitions)

    def settled(self, run: str, *days: Day) -> None:
        """Settle days, by a run."""
        for day in days:
            settle(DayPlan(day, run, 1, {}, self.definitions))

    def rows(self, day: Day) -> list[dict[str, Any]]:
        """The curve's rows of a day."""
        found = spark_tables.read(self.spark, CURVE).where(F.col("day") == F.lit(day.date)).collect()
        return [row.asDict() for row in found]


def at(hour: int, minute: int, second: int = 0, day: datetime = DAY.start) -> datetime:
    return day + timedelta(hours=hour, minutes=minute, seconds=second)


def good(name: str, event_time: datetime, arrival: datetime, batch: int) -> Sent:
    topic, key, value, event_id, _ = placed(name, event_time)
    return Sent(topic, key, value, event_id, arrival, event_time, batch)


def payment(name: str, event_time: datetime, arrival: datetime, batch: int) -> Sent:
    topic, key, value, event_id, _ = paid(name, event_time)
    return Sent(topic, key, value, event_id, arrival, event_time, batch)


def spoilt(event_time: datetime, arrival: datetime) -> Sent:
    """An order with a field too many; were it an event, it would move the watermark."""
    event = order("spoilt", 0, event_time=round(event_time.timestamp() * 1000), coupon="none")
    return Sent("orders", event["order_id"].encode(), encoded(event), event["event_id"], arrival, event_time, None)


def conflict(name: str, first: datetime, event_time: datetime, arrival: datetime) -> Sent:
    """The same event_id again with another time: no event, but valid, so it moves the watermark."""
    topic, key, value, event_id, _ = placed(name, first)
    old, new = (b'"event_time":%d' % round(time.timestamp() * 1000) for time in (first, event_time))
    assert value
    return Sent(topic, key, value.replace(old, new), event_id, arrival, event_time, None, is_conflict=True)


SENT = (
    good("A", at(12, 0), at(12, 0, 1), 0),
    good("B", at(12, 0, 30), at(12, 0, 31), 0),
    good("C", at(12, 10), at(12, 10, 1), 1),
    spoilt(at(12, 14), at(12, 10, 2)),
    payment("A", at(12, 5), at(12, 10, 3), 1),  # 300 s behind C
    conflict("A", at(12, 0), at(12, 12), at(12, 10, 4)),
    good("D", at(12, 0, 10), at(12, 10, 5), 1),  # 710 s behind the conflict; 20 s behind B, before the micro-batch
    good("E", at(12, 20), at(12, 20, 1), 2),
    good("F", at(11, 0), at(12, 20, 2), 2),  # 4800 s behind E; 4320 s behind the conflict
    good("G", at(23, 59), at(23, 59, 1), 3),
    good("H", at(0, 30, day=NEXT), at(0, 30, 1, day=NEXT), 4),
    spoilt(at(0, 35, day=NEXT), at(0, 30, 2, day=NEXT)),
    payment("G", at(0, 10, day=NEXT), at(0, 30, 3, day=NEXT), 4),  # of the next day, 1200 s behind H
)
PLACES = [(one.topic, 0, sum(o.topic == one.topic for o in SENT[:n])) for n, one in enumerate(SENT)]
"""Each record's topic, partition and offset."""
LARGEST = (at(12, 0, 30), at(12, 12), at(12, 20), at(23, 59), at(0, 30, day=NEXT))
"""The largest event time of each of the stream's micro-batches."""
LOG = {"order_totals": {0: 5, 710: 1, 4800: 1}, "order_payments": {0: 5, 300: 1, 710: 1, 4800: 1}}
STREAM = {"order_totals": {0: 5, 20: 1, 4320: 1}, "order_payments": {0: 6, 20: 1, 4320: 1}}
TOTALS = {0: (5, 5, 3), 300: (5, 5, 3), 600: (5, 5, 3), 1200: (6, 6, 4), 3600: (6, 6, 4), 7200: (7, 7, 5)}
"""Delay -> events in time, orders, final rows, of order_totals: minute 12:00 needs D, minute 11:00 needs F."""
PAYMENTS = {0: (5, 0, 3), 120: (5, 0, 3), 300: (6, 1, 4), 600: (6, 1, 4), 1200: (7, 2, 6), 7200: (8, 2, 7)}
"""Delay -> events in time, paid orders, final rows, of order_payments: A needs its payment, G one of the next day."""


@pytest.fixture(scope="module")
def night(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    """A lake in which the days are settled, as the night and the stream would have written it.

    With a view of each law, one with gaps between its windows and one of a pattern: each view's steps are test_steps's.
    """
    place = tmp_path_factory.mktemp("lake")
    with few_views("payment_health", "fraud_alerts"), pytest.MonkeyPatch.context() as patch:
        patch.setattr("infra.lake.tables.settings", lambda: SimpleNamespace(lake=f"file:{place}"))
        patch.setattr("batch.curve.curve.settings", lambda: SimpleNamespace(watermark_delay_seconds=IN_FORCE))
        found = in_force(spark)
        rows = [
            (*at, one.arrival, one.key, one.value, None, one.event_id, one.event_time, one.event_time.date())
            for one, at in zip(SENT, PLACES, strict=True)
        ]
        put(spark.createDataFrame(rows, ARCHIVE.schema), ARCHIVE)
        run = F.lit("first").alias("run")
        known = accepted(decided(spark, DAY, reach()), found[EVENTS]).persist()
        put(known.where(F.col("day") == F.lit(DAY.date)).select("*", run), TRUTH)
        put(refused(spark, TRUTH_QUARANTINE, DAY), TRUTH_QUARANTINE)
        for view in VIEWS.values():
            put(view_day(view, known, DAY).select("*", F.lit("v").alias("definition"), run), truth_table(view))
        put(refused(spark, QUARANTINE, Day(NEXT.date())), QUARANTINE)
        _stream(spark, known)
        for table in (SETTLEMENTS, EVENT_LATENESS, CURVE):
            put(spark.createDataFrame([], table.schema), table)
        own = Night(spark, found)
        own.settled("first", DAY, QUIET)
        yield own
        known.unpersist()


def put(rows: DataFrame, table: Table) -> None:
    """The table with these rows, in one commit."""
    rows.select(*table.schema.fieldNames()).coalesce(1).write.format("delta").partitionBy(*table.partitioned_by).save(
        table.path
    )


def refused(spark: SparkSession, table: Table, day: Day) -> DataFrame:
    """The day's records that are no events, as a quarantine has them."""
    reasons = {"spoilt": ["unknown_field"], "conflict": ["conflict"]}
    rows = [
        {**dict(zip(AT, at, strict=True)), "reasons": reasons["conflict" if one.is_conflict else "spoilt"]}
        for one, at in zip(SENT, PLACES, strict=True)
        if one.batch is None and one.event_time.date() == day.date
    ]
    return frame(spark, rows, table.schema)


def _stream(spark: SparkSession, known: DataFrame) -> None:
    """Silver with the micro-batches of SENT, and their progress."""
    read = [(*at, one.batch, "a", 0) for one, at in zip(SENT, PLACES, strict=True) if one.batch is not None]
    batches = "topic string, partition int, offset long, batch_id long, generation string, late_by_ms long"
    put(known.join(spark.createDataFrame(read, batches), list(AT)), SILVER)
    progress = [
        {
            "query": INGEST,
            "generation": "a",
            "batch_id": number,
            "max_event_time": largest,
            "aligned_event_time": largest,
        }
        for number, largest in enumerate(LARGEST)
    ]
    put(frame(spark, progress, PROGRESS.schema), PROGRESS)


@pytest.fixture(scope="module")
def drawn(night: Night) -> list[dict[str, Any]]:
    """The curve's rows of DAY."""
    assert night.curve() == (DAY, QUIET)
    return night.rows(DAY)


def test_waits_are_counted_by_view_and_basis(night: Night, drawn: list[dict[str, Any]]) -> None:
    rows = spark_tables.read(night.spark, EVENT_LATENESS).collect()
    assert {(row["day"], row["run"]) for row in rows} == {(DAY.date, "first")}, "the quiet day has none"
    for basis, expected in (("log", LOG), ("stream", STREAM)):
        for view, waits in expected.items():
            found = [
                (row["required_delay_seconds"], row["events"])
                for row in rows
                if (row["basis"], row["view"]) == (basis, view)
            ]
            assert sorted(found) == sorted(waits.items()), (basis, view)


@pytest.mark.parametrize(
    ("view", "measure", "expected"), [("order_totals", "orders", TOTALS), ("order_payments", "paid_orders", PAYMENTS)]
)
def test_a_delay_gives_what_the_view_makes_of_the_events_in_time(
    drawn: list[dict[str, Any]], view: str, measure: str, expected: dict[int, tuple[int, int, int]]
) -> None:
    rows = {row["delay_seconds"]: row for row in drawn if (row["view"], row["measure"]) == (view, measure)}
    found = {
        delay: (row["events_in_time"], row["value_in_time"], row["rows_final"])
        for delay, row in rows.items()
        if delay in expected
    }
    assert found == expected
    assert {(row["events"], row["value"], row["rows"]) for row in rows.values()} == {expected[7200]}
    assert [delay for delay, row in rows.items() if row["in_force"]] == [IN_FORCE]


def test_the_curve_never_falls_and_ends_with_the_night(drawn: list[dict[str, Any]]) -> None:
    for view in VIEWS.values():
        for measure in view.measures:
            rows = [row for row in drawn if (row["view"], row["measure"]) == (view.name, measure)]
            (night,) = [row for row in rows if row["delay_seconds"] is None]
            whole = (night["events"], night["value"], night["rows"])
            assert (night["events_in_time"], night["value_in_time"], night["rows_final"]) == whole
            assert night["state_rows"] is None
            rows = sorted((row for row in rows if row is not night), key=lambda row: row["delay_seconds"])
            for name in ("events_in_time", "value_in_time", "rows_final", "state_rows"):
                values = [row[name] for row in rows]
                assert values == sorted(values), (view.name, measure, name)


def test_the_state_is_the_rows_open_at_once(drawn: list[dict[str, Any]]) -> None:
    rows = {row["delay_seconds"]: row["state_rows"] for row in drawn if row["view"] == "order_totals"}
    assert (rows[0], rows[600], rows[86400]) == (1, 2, 5)


def test_a_settled_day_without_events_has_a_curve_of_nothing(night: Night, drawn: list[dict[str, Any]]) -> None:
    rows = night.rows(QUIET)
    assert {(row["events"], row["rows"], row["rows_final"], row["value"]) for row in rows} == {(0, 0, 0, 0)}


def test_a_day_is_drawn_once_per_settlement(night: Night, drawn: list[dict[str, Any]]) -> None:
    versions = [spark_tables.version(night.spark, table) for table in (EVENT_LATENESS, CURVE)]
    assert night.curve() == ()
    assert [spark_tables.version(night.spark, table) for table in (EVENT_LATENESS, CURVE)] == versions
    night.settled("second", DAY)
    assert night.curve() == (DAY,)
    again = night.rows(DAY)
    assert {row["run"] for row in again} == {"second"}
    assert sorted(map(str, again)) == sorted(str(row | {"run": "second"}) for row in drawn)


def test_a_day_that_is_not_settled_has_no_curve(night: Night) -> None:
    with pytest.raises(PermanentFailure, match="2026-02-03 is not settled yet"):
        night.curve(Day(date(2026, 2, 3)))
    with pytest.raises(PermanentFailure, match="not settled by definitions that are no longer in force"):
        replace(night, definitions={**night.definitions, of_topic("orders"): "another"}).curve()
