"""An order of yesterday that is paid tomorrow: no night finds a difference, the next corrects the row, the last compares it."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from corpus import encoded, order, payment
from fewer import only_views
from pyspark.sql import SparkSession

from batch.archive.events import ARCHIVE, with_envelope
from batch.corrections.ledger import CORRECTIONS
from batch.corrections.served_open import OPEN_ROWS
from batch.days.day import Day
from batch.days.day_plan import DayPlan, Redo
from batch.due.plans import plans
from batch.night.steps import Step, advance
from batch.reconciliation.differences import DIFFERENCES, SUMMARY
from batch.settlement.settlements import SETTLEMENTS
from batch.truth.recompute import truth_table
from infra import failpoints
from infra.failures import PermanentFailure
from infra.lake import arrow_tables
from infra.lake.rows import frame
from infra.lake.writes import append_once
from streaming.positions.log import Log
from streaming.tables.bronze import RECORD
from streaming.tables.speed import speed_table
from streaming.versions.definitions import definitions
from streaming.views import VIEWS
from tests.bench.oracle.day import fill, read

pytestmark = pytest.mark.slow
DAY = Day(date(2026, 1, 30))
HOUR = timedelta(hours=1)
VIEW = "order_payments"


class Shop:
    """Kafka, the stream and the archive in one. Every event arrives a minute after it happened, unless it is `late`."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark, self.number, self.ends = spark, 0, {("orders", 0): 0, ("payments", 0): 0}

    def arrive(self, *events: dict[str, Any], late: timedelta = timedelta(minutes=1), to: datetime) -> None:
        """A micro-batch of these, behind which the watermark is `to`."""
        rows = []
        for event in events:
            topic = "orders" if event["event_type"].startswith("order") else "payments"
            at = datetime.fromtimestamp(event["event_time"] / 1000, DAY.start.tzinfo)
            row = {"topic": topic, "partition": 0, "offset": self.ends[topic, 0], "arrival": at + late}
            rows.append(row | {"key": event["order_id"].encode(), "value": encoded(event)})
            self.ends[topic, 0] += 1
        found, log = frame(self.spark, rows, RECORD), Log(dict.fromkeys(self.ends, 0), dict(self.ends))
        if not self.number:
            fill(self.spark, DAY, Log({}, {}), found.limit(0))
        self.number += 1
        read(self.spark, log, found, self.number, to)
        append_once(with_envelope(found), ARCHIVE, "archive", self.number)

    def plan(self, night: Day = DAY) -> DayPlan | None:
        """What the night does of the day."""
        return next((one for one in plans(self.spark, night, definitions(self.spark)) if one.day == DAY), None)

    def night(self, night: Day = DAY) -> None:
        plan = self.plan(night)
        assert plan
        assert advance(self.spark, plan, Step.CORRECT) == (None, True)


@pytest.fixture
def shop(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    monkeypatch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=local_lake))
    with only_views(VIEW, "order_totals"):
        yield Shop(spark)


def millis(at: datetime) -> int:
    return round(at.timestamp() * 1000)


def placed(name: str, at: datetime) -> dict[str, Any]:
    return order(name, 0, event_time=millis(at), order_id=f"o-{name.encode().hex():0>32}")


def paid(name: str, at: datetime) -> dict[str, Any]:
    own = {"order_id": f"o-{name.encode().hex():0>32}", "payment_id": f"pay-{name.encode().hex():0>8}"}
    return payment(f"{name} {at}", 0, event_time=millis(at), **own)


def summary() -> dict[str, Any]:
    return next(row for row in arrow_tables.rows(SUMMARY) if (row["view"], row["measure"]) == (VIEW, "paid_orders"))


def test_an_open_row_is_corrected_when_it_changes_and_compared_once_closed(shop: Shop) -> None:
    at = DAY.end - 2 * HOUR
    shop.arrive(placed("one", at), placed("two", at), placed("six", at), paid("one", at + HOUR), to=DAY.end + 2 * HOUR)
    shop.night()
    row = summary()
    assert (row["speed"], row["truth"], row["rows_open"], row["open_until"]) == (1, 1, 2, at + timedelta(days=3))
    assert len(arrow_tables.rows(OPEN_ROWS)) == 2
    assert shop.plan() is None, "nothing is newer, and nothing has closed"

    # One is paid on the second day, and the night after it finds that this changes a row of the first.
    later = DAY.end + timedelta(days=1, hours=5)
    shop.arrive(paid("two", later), to=later + HOUR)
    second = Day(later.date())
    plan = shop.plan(second)
    assert plan
    assert plan.redo == Redo(frozenset({VIEW}))
    assert arrow_tables.rows(SETTLEMENTS)[0]["horizon"] == DAY.end + 2 * HOUR
    shop.night(second)
    assert arrow_tables.rows(DIFFERENCES) == []
    (corrected,) = arrow_tables.rows(CORRECTIONS)
    assert (corrected["cause"], corrected["revision"]) == ("open", 2)
    assert ('"unpaid"' in corrected["old"], '"paid"' in corrected["new"]) == (True, True)
    assert (summary()["rows_open"], summary()["truth"]) == (1, 2)

    # The last one is never paid. When its three days are over the view is compared once more, and nothing is left to do.
    shop.arrive(placed("four", at + timedelta(days=4)), to=at + timedelta(days=4))
    fourth = Day((at + timedelta(days=4)).date())
    plan = shop.plan(fourth)
    assert plan
    assert plan.redo == Redo(frozenset({VIEW}))
    shop.night(fourth)
    assert (summary()["rows_open"], summary()["open_until"], len(arrow_tables.rows(CORRECTIONS))) == (0, None, 1)
    assert [row for row in arrow_tables.rows(OPEN_ROWS) if row["day"] == DAY.date] == []
    assert shop.plan(fourth) is None


def test_of_days_ago_a_late_payment_and_a_wrong_row_are_found(shop: Shop) -> None:
    at = DAY.end - 2 * HOUR
    shop.arrive(placed("one", at), placed("two", at), to=DAY.end + 2 * HOUR)
    shop.night()
    shop.arrive(paid("one", at + 9 * HOUR), late=30 * HOUR, to=at + 40 * HOUR)
    shop.night(Day((at + 40 * HOUR).date()))
    (row,) = arrow_tables.rows(DIFFERENCES)
    assert (row["causes"], row["unexplained"]) == (["partner_late"], False)
    (corrected,) = arrow_tables.rows(CORRECTIONS)
    assert (corrected["cause"], '"unpaid"' in corrected["old"]) == ("partner_late", True)
    paid_ones = [row["payment_status"] for row in arrow_tables.rows(truth_table(VIEWS[VIEW]))]
    assert sorted(paid_ones) == ["paid", "unpaid"]
    # The stream says of an order that was paid days later what no event has told it.
    shop.arrive(paid("two", at + 50 * HOUR), to=at + 60 * HOUR)
    said = arrow_tables.latest(speed_table(VIEWS[VIEW]))
    said.update(updates={"amount_cents": "amount_cents + 1"}, predicate="amount_cents IS NOT NULL")
    plan = shop.plan(Day((at + 60 * HOUR).date()))
    assert plan
    with pytest.raises(PermanentFailure, match="have no cause"):
        advance(shop.spark, plan, Step.CORRECT)
