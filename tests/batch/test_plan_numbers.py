"""A plan tries the code on records and on a settled day, and says what would change of both: no more, and no less."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from corpus import encoded, identity, item, order
from fewer import few_views
from in_force import in_force
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.events import ARCHIVE, with_envelope
from batch.days.day import Day
from batch.due.plans import plans
from batch.night.all_tables import night_tables
from batch.plan.numbers import Numbers, Value, numbers, reasons, side_by_side
from batch.plan.reading import settled
from batch.plan.tried import Tried, tried
from batch.settlement.settlements import settle
from batch.truth.recompute import TRUTH, truth
from infra import failpoints
from infra.lake import arrow_tables, spark_tables, tables
from infra.lake.columns import column
from infra.lake.rows import arrow, frame
from infra.lake.writes import append_once
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import between
from streaming.reasons import Reason
from streaming.tables.bronze import RECORD
from streaming.tables.progress import PROGRESS
from streaming.tables.silver import QUARANTINE, SILVER
from streaming.versions.definitions import differing
from streaming.views import VIEWS
from streaming.views.view import Events

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 30))
NOON = DAY.start + timedelta(hours=12)
LARGE, SMALL = 2_498, 500
ONE_PIECE = [item(product_id="p-2", unit_price_cents=SMALL)]


def record(offset: int, at: datetime, **more: Any) -> dict[str, Any]:
    name = str(offset)
    event = order(name, 0, event_time=round(at.timestamp() * 1000), order_id=f"o-{identity(name, 0)[:8]}") | more
    row = {"topic": "orders", "partition": 0, "offset": offset, "arrival": at, "key": event["order_id"].encode()}
    return row | {"value": encoded(event)}


def arrive(spark: SparkSession, offset: int, at: datetime, **more: Any) -> None:
    append_once(with_envelope(frame(spark, [record(offset, at, **more)], RECORD)), ARCHIVE, "test", offset)


@pytest.fixture(scope="module")
def own(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A settled day of two orders, in two minutes; and one that has come since. No test here changes what the archive has."""
    folder = tmp_path_factory.mktemp("planned")
    with few_views(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "settings", lambda: SimpleNamespace(lake=f"file:{folder}"))
        patch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=folder))
        for table in (*night_tables(), PROGRESS, SILVER, QUARANTINE):
            spark_tables.create(spark, table)
        arrive(spark, 0, NOON)
        arrive(spark, 1, NOON + timedelta(minutes=1), items=ONE_PIECE, total_cents=SMALL)
        by = in_force(spark)
        truth(spark, DAY, "run", dict(by))
        for plan in plans(spark, DAY, by):
            settle(plan)
        arrive(spark, 2, NOON + timedelta(minutes=2))
        yield spark


def doubled(define: Callable[[Events], DataFrame], events: Events) -> DataFrame:
    """The revenue twice, and no row of the smaller order."""
    known = define(events).where(F.col("revenue_cents") > SMALL)
    return known.withColumn("revenue_cents", F.col("revenue_cents") * 2)


def test_only_what_the_code_changes_of_the_day_is_told(own: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    settlement = settled().days[DAY.date]
    before = dict(settlement["definitions"])
    same, none = numbers(own, DAY, settlement, before, dict.fromkeys(VIEWS, "definition"))
    assert (len(same), {one.is_same for one in same}, none) == (3, {True}, []), "an order that came since is no change"

    right = VIEWS["order_totals"]
    monkeypatch.setitem(VIEWS, "order_totals", replace(right, define=lambda events: doubled(right.define, events)))
    now = in_force(own)
    why = reasons(differing(before, now), VIEWS)
    assert why == {"order_totals": "definition"}
    (found,), largest = numbers(own, DAY, settlement, now, why)
    sums = {"orders": (2, 1), "items": (4, 3), "revenue_cents": (LARGE + SMALL, 2 * LARGE)}
    assert found == Numbers("order_totals", 1, added=0, gone=1, changed=1, sums=sums)
    first, *_ = largest
    key = '{"window_start":"2026-01-30T12:00:00.000Z"}'
    assert replace(first, share=None) == Value("order_totals", key, "revenue_cents", "2498", "4996", None, "definition")
    assert first.share == pytest.approx(LARGE / (LARGE + SMALL))
    assert {(one.column, one.old, one.new) for one in largest[1:]} == {
        ("orders", "1", None), ("items", "1", None), ("revenue_cents", "500", None),
    }  # fmt: skip


def test_rows_that_lack_a_column_of_the_code_are_compared(spark: SparkSession) -> None:
    wider = replace(VIEWS["order_totals"], columns=(*VIEWS["order_totals"].columns, column("mean", "bigint", "Mean")))
    row = {"window_start": NOON, "window_end": NOON, "orders": 1, "items": 1, "revenue_cents": 1, "mean": 1}
    old = frame(spark, [row], wider.schema).drop("mean")
    (both,) = side_by_side(wider, old, frame(spark, [row], wider.schema)).collect()
    assert (both["old"]["mean"], both["new"]["mean"], both["old"]["orders"]) == (None, 1, 1)


def test_a_contract_is_tried_on_records_that_were_accepted_and_refused(
    own: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders, by = CONTRACTS["orders"], settled().definitions[DAY.date]["events/orders"]
    events = arrow_tables.read(TRUTH).drop_columns(["run"])
    append_once(events.append_column("late_by_ms", pa.array([0] * events.num_rows)), SILVER, "test", 1)
    wrong = record(7, NOON, total_cents=1) | {"reasons": [Reason.TOTAL_MISMATCH.value], "day": DAY.date}
    conflict = record(8, NOON) | {"reasons": [Reason.CONFLICT.value], "day": DAY.date}
    append_once(arrow([wrong, conflict], QUARANTINE.schema), QUARANTINE, "test", 1)
    assert tried(own, "orders", [by]) == Tried("orders", accepted=2, quarantined=1)
    assert tried(own, "orders", ["another"]).is_compatible is None

    monkeypatch.setitem(CONTRACTS, "orders", replace(orders, rules=(*orders.rules, between("total_cents", 0, SMALL))))
    stricter = tried(own, "orders", [by])
    assert (stricter.is_compatible, stricter.refused, stricter.refused_one) == (False, 1, "orders-0 at 0: out_of_range")
    rules = tuple(rule for rule in orders.rules if rule.reason is not Reason.TOTAL_MISMATCH)
    monkeypatch.setitem(CONTRACTS, "orders", replace(orders, rules=rules))
    wider = tried(own, "orders", [by])
    assert (wider.is_compatible, wider.freed, wider.freed_one) == (True, 1, "orders-0 at 7: total_mismatch")
