"""A changelog over days: rows are as of their time in both layers, and a late change corrects the rows before it was known."""

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import pytest
from corpus import encoded, identity, order, payment
from fewer import only_views
from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from batch.archive.events import ARCHIVE, with_envelope
from batch.curve.curve import curve
from batch.curve.points import CURVE
from batch.days.day import Day
from batch.due.affected_days import Touched
from batch.reconciliation.causes import Cause
from batch.reconciliation.differences import DIFFERENCES, SUMMARY
from batch.reconciliation.evidence import EVIDENCE
from batch.truth.recompute import truth_table
from infra import failpoints
from infra.lake import spark_tables, tables
from infra.lake.rows import frame
from infra.lake.writes import append_once
from infra.shop.faults import Copy
from streaming.tables.bronze import RECORD
from streaming.versions.definitions import definitions
from streaming.views import VIEWS
from tests.bench.oracle.day import PARTITIONS, fill, records, write_log
from tests.bench.oracle.measure import night
from tests.bench.oracle.recompute import differing, recompute

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 30))
DAYS_BEFORE = timedelta(days=3)
ANN, BEN, CID, DAN = (f"c-{number}" for number in range(1, 5))
LOOKING_UP = ("clicks_with_customer", "search_matches", "open_orders_by_region")
LATE = timedelta(minutes=70)
"""Behind its event time; an hour behind the watermark, so that it is known an hour after its event time."""


def at(hour: float) -> datetime:
    return DAY.start + timedelta(hours=hour)


def sent(
    topic: str, key: str, when: datetime, kind: str, named: str, behind: timedelta = timedelta(0), **own: Any
) -> Copy:
    millis = round(when.timestamp() * 1000)
    event = {"event_id": identity(named, 0), "event_type": kind, "event_time": millis, "schema_version": 1, **own}
    send_ms = millis + round(behind.total_seconds() * 1000)
    return Copy(send_ms, topic, str(own[key]).encode(), encoded(event), event["event_id"], "good")


def customer(who: str, when: datetime, region: str | None, name: str, behind: timedelta = timedelta(0)) -> Copy:
    if region is None:
        return sent("customers", "customer_id", when, "customer_left", name, behind, customer_id=who)
    own = {"customer_id": who, "name": "Ann", "region": region}
    return sent("customers", "customer_id", when, "customer_moved", name, behind, **own)


def click(who: str, hour: float) -> Copy:
    own = {"session_id": "v-00000001", "customer_id": who, "product_id": "p-1", "position": 1}
    return sent("clicks", "session_id", at(hour), "product_clicked", f"{who} at {hour}", **own)


def saved(search: str, when: datetime, words: str | None, name: str, behind: timedelta = timedelta(0)) -> Copy:
    own = {"search_id": search, "customer_id": ANN} | ({"words": words} if words else {})
    return sent("saved_searches", "search_id", when, "search_saved" if words else "search_removed", name, behind, **own)


def listed(hour: float, title: str) -> Copy:
    own = {"product_id": "p-1", "title": title, "brand": "Alder", "price_cents": 999}
    return sent("products", "product_id", at(hour), "product_listed", f"{title} at {hour}", **own)


def ordered(who: str, hour: float, name: str) -> Iterator[Copy]:
    own = order(name, 0, customer_id=who, order_id=f"o-{identity(name, 0).replace('-', '')}")
    rest = {
        key: value
        for key, value in own.items()
        if key not in ("event_id", "event_type", "event_time", "schema_version")
    }
    yield sent("orders", "order_id", at(hour), "order_placed", name, **rest)
    paid = payment(name, 0, order_id=own["order_id"])
    rest = {
        key: value
        for key, value in paid.items()
        if key not in ("event_id", "event_type", "event_time", "schema_version")
    }
    yield sent("payments", "order_id", at(hour + 0.5), "payment_captured", f"{name} paid", **rest)


def copies() -> Iterator[Copy]:
    old = DAY.start - DAYS_BEFORE
    yield customer(ANN, old, "north", "ann registers")
    yield customer(BEN, old, "north", "ben registers")
    yield customer(BEN, at(10), "south", "ben moves, late", LATE)
    yield customer(CID, old, "north", "cid registers")
    yield customer(CID, old + timedelta(hours=1), "west", "cid moves, late, days before", LATE)
    yield customer(DAN, old, "north", "dan registers")
    yield customer(DAN, at(10), None, "dan leaves")
    for who in (ANN, BEN, CID, DAN):
        yield from (click(who, hour) for hour in (9, 10.5, 12))
    yield saved("s-00000001", old, "red lamp", "waits for a red lamp")
    yield saved("s-00000002", at(10), "mug", "waits for a mug, late", LATE)
    yield saved("s-00000003", old, "lamp", "waits for a lamp")
    yield saved("s-00000003", at(10), None, "waits no longer, late", LATE)
    for hour in (9, 10.5, 12):
        yield listed(hour, "Lamp, Red")
        yield listed(hour, "Mug")
    # So that the watermark has come as far when the late ones arrive.
    search = {"session_id": "v-00000002", "customer_id": ANN, "query": "lamp", "product_ids": []}
    yield sent("searches", "session_id", at(11.1), "search_made", "a search", **search)
    yield from ordered(BEN, 9.75, "ben orders")
    yield from ordered(ANN, 9.75, "ann orders")


@pytest.fixture(scope="module")
def settled(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A lake whose day a night has settled, with nothing unexplained: of the views that look a row up, and one that does not."""
    folder = tmp_path_factory.mktemp("lake")
    with only_views(*LOOKING_UP, "order_payments"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{folder}"))
        patch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=folder))
        log = write_log(sorted(copies(), key=lambda copy: copy.send_ms), folder)
        fill(spark, DAY, log, records(spark, folder))
        night(spark, DAY, log, folder)
        yield folder


def rows(spark: SparkSession, view: str) -> list[Row]:
    return spark_tables.read(spark, truth_table(VIEWS[view])).where(F.col("day") == F.lit(DAY.date)).collect()


def test_a_row_shows_what_was_known_at_its_time(settled: Path, spark: SparkSession) -> None:
    found = {(row["customer_id"], row["clicked_at"].hour): row["region"] for row in rows(spark, "clicks_with_customer")}
    assert [found[BEN, hour] for hour in (9, 10, 12)] == ["north", "south", "south"]
    assert [found[DAN, hour] for hour in (9, 10, 12)] == ["north", None, None]
    assert {found[ANN, hour] for hour in (9, 10, 12)} == {"north"}
    assert {found[CID, hour] for hour in (9, 10, 12)} == {"west"}
    matches = {(row["search_id"][-1], row["listed_at"].hour) for row in rows(spark, "search_matches")}
    assert matches == {("1", 9), ("1", 10), ("1", 12), ("2", 10), ("2", 12), ("3", 9)}
    stays = sorted((row["region"], row["open_ms"] // 60_000) for row in rows(spark, "open_orders_by_region"))
    assert stays == [("north", 15), ("north", 30), ("south", 15)]


def test_a_late_change_differs_until_it_was_known(settled: Path, spark: SparkSession) -> None:
    found: dict[str, set[str]] = {}
    for row in spark_tables.read(spark, DIFFERENCES).collect():
        assert row["causes"] == [Cause.PARTNER_LATE], row
        found.setdefault(row["view"], set()).add(row["key"])
    lamp, mug = (identity(f"{title} at 10.5", 0) for title in ("Lamp, Red", "Mug"))
    ordering = identity("ben orders", 0)
    assert found.pop("clicks_with_customer") == {
        json.dumps({"event_id": identity(f"{BEN} at 10.5", 0)}, separators=(",", ":"))
    }
    assert {tuple(json.loads(key).values()) for key in found.pop("search_matches")} == {
        (lamp, "s-00000003"),
        (mug, "s-00000002"),
    }
    # In the stream the order did not move: it was paid before the move was known.
    assert {json.loads(key)["event_id"] for key in found.pop("open_orders_by_region")} == {ordering}
    assert not found
    late = spark_tables.read(spark, EVIDENCE).select("view", "event_id").collect()
    assert {tuple(row) for row in late} == {
        *((view, identity("ben moves, late", 0)) for view in ("clicks_with_customer", "open_orders_by_region")),
        *(("search_matches", identity(f"waits {what}, late", 0)) for what in ("for a mug", "no longer")),
    }, "what was known days before makes no difference to this day"
    for row in spark_tables.read(spark, SUMMARY).collect():
        assert (row["unexplained"], row["rows_unexplained"]) == (0, 0)


def test_duckdb_finds_the_same_rows(settled: Path, tmp_path: Path) -> None:
    recompute(settled, DAY, tmp_path)
    assert differing(settled, tmp_path, LOOKING_UP) == []


def test_the_curve_ends_with_truth(settled: Path, spark: SparkSession) -> None:
    assert curve(spark, DAY, definitions(spark)) == (DAY,)
    for view in LOOKING_UP:
        found = spark_tables.read(spark, CURVE).where((F.col("view") == view) & F.col("delay_seconds").isNotNull())
        drawn = sorted(found.collect(), key=itemgetter("delay_seconds"))
        assert drawn[-1]["rows_final"] == len(rows(spark, view)) > drawn[0]["rows_final"]


def test_an_earlier_change_touches_the_days_that_look_it_up(settled: Path, spark: SparkSession) -> None:
    ends: dict[Any, int] = {}
    for row in spark_tables.read(spark, ARCHIVE).collect():
        at = row["topic"], row["partition"]
        ends[at] = max(ends.get(at, 0), row["offset"] + 1)

    def arrives(change: Copy) -> bool:
        place = ("customers", crc32(change.key or b"") % PARTITIONS)
        record = dict(zip(("topic", "partition", "offset"), (*place, ends.get(place, 0)), strict=True))
        record |= {"key": change.key, "value": change.value, "arrival": DAY.end + timedelta(hours=3)}
        before = dict(ends)
        append_once(with_envelope(frame(spark, [record], RECORD)), ARCHIVE, "test", sum(ends.values()))
        ends[place] = ends.get(place, 0) + 1
        return bool(Touched(spark, {DAY.date: before}).redo(DAY.date))

    days_before = DAY.start - timedelta(days=2)
    assert not arrives(customer("c-99", days_before, "east", "nobody of the day"))
    assert not arrives(customer(ANN, DAY.end + timedelta(minutes=1), "east", "after the day"))
    assert arrives(customer(ANN, days_before, "east", "ann moved days ago"))
