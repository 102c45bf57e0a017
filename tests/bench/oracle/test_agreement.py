"""A small day with every fault of the shop: the night settles it, DuckDB finds the same rows, and a wrong one is seen."""

from collections.abc import Iterator
from datetime import date
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import pytest
from card import CENTS, KINDS
from corpus import cancelled, encoded, identity, order, payment
from pyspark.sql import SparkSession

from batch.days.day import Day
from batch.night.steps import Step
from batch.settlement.settlements import is_settled
from infra import failpoints
from infra.shop.faults import Copy, Faults
from infra.shop.malformed import MALFORMATIONS
from tests.bench.oracle.day import fill, records, shop, write_log
from tests.bench.oracle.measure import night
from tests.bench.oracle.recompute import ANSWERS, connect, differing, recompute

pytestmark = pytest.mark.slow

DAY = Day(date(2026, 1, 30))
HOUR_MS = 3_600_000
FAULTS = Faults(duplicates=0.1, late=0.1, malformed=0.1, future=0.02)


def sent() -> Iterator[Copy]:
    """The shop's day, a conflict behind one of its payments, and one before another, dated on the day before."""
    copies = list(shop(DAY, 1000, seed=1, faults=FAULTS))
    assert {copy.kind for copy in copies} >= {f"malformed:{way.name}" for way in MALFORMATIONS}
    one, other = [copy for copy in copies if copy.topic == "payments" and copy.kind == "good"][:2]
    last, first = copies[-1].send_ms, copies[0].send_ms
    assert one.value
    assert other.value
    behind = one._replace(send_ms=last, value=one.value.replace(b'"amount_cents":', b'"amount_cents":1'))
    before_ms = round(DAY.start.timestamp() * 1000) - 1
    dated = b'"event_time":%d,' % before_ms
    head, tail = other.value.split(b'"event_time":')
    before = other._replace(send_ms=first, value=head + dated + tail.split(b",", 1)[1])
    return chain([before, *tried_card(first), *waited_for(first)], copies, [behind, *days_later()])


def days_later() -> Iterator[Copy]:
    """What rows of the day still need after it: an order each half hour around midnight, all of one customer (a visit of six
    hours), the first of them paid on the third day, the second cancelled on the eleventh, the third paid too late."""
    begun, send_ms = (
        round(DAY.end.timestamp() * 1000) - 3 * HOUR_MS,
        round(DAY.end.timestamp() * 1000) + 40 * 24 * HOUR_MS,
    )
    placed = [
        order(f"visit {n}", 0, event_time=begun + n * HOUR_MS // 2, customer_id="c-999", order_id=f"o-{n:032x}")
        for n in range(12)
    ]
    ends = [
        ("payments", payment("third day", 0, event_time=begun + 50 * HOUR_MS, order_id=placed[0]["order_id"])),
        (
            "orders",
            cancelled("eleventh day", begun + 250 * HOUR_MS, "changed mind") | {"order_id": placed[1]["order_id"]},
        ),
        ("payments", payment("too late", 0, event_time=begun + 80 * HOUR_MS, order_id=placed[2]["order_id"])),
    ]
    for topic, own in [*(("orders", one) for one in placed), *ends]:
        yield Copy(send_ms, topic, own["order_id"].encode(), encoded(own), own["event_id"], "good")


def tried_card(send_ms: int) -> Iterator[Copy]:
    """Payments that make one alert: in so small a day the shop has none."""
    for place, (kind, cents) in enumerate(zip(KINDS, CENTS, strict=True)):
        at = round(DAY.start.timestamp() * 1000) + 60_000 * (place + 1)
        own = payment(f"tried {place}", 0, event_time=at, event_type=kind, amount_cents=cents, card_id="card-999999")
        own |= {"payment_id": f"pay-0000000{place}"}
        yield Copy(max(send_ms, at), "payments", own["order_id"].encode(), encoded(own), own["event_id"], "good")


def waited_for(send_ms: int) -> Iterator[Copy]:
    """A saved search, and a product that it matches."""
    start = round(DAY.start.timestamp() * 1000)
    search = {"search_id": "s-0000000a", "customer_id": "c-1", "words": "LAMP red"}
    product = {"product_id": "p-9", "title": "Red lamp", "brand": "Alder", "price_cents": 5}
    for topic, kind, key, own in (
        ("saved_searches", "search_saved", "search_id", search),
        ("products", "product_listed", "product_id", product),
    ):
        start += 60_000
        event = {"event_id": identity(kind, 0), "event_type": kind, "event_time": start, "schema_version": 1, **own}
        yield Copy(max(send_ms, start), topic, str(own[key]).encode(), encoded(event), event["event_id"], "good")


@pytest.fixture
def settled(spark: SparkSession, local_lake: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lake whose day a night has settled."""
    monkeypatch.setattr(failpoints, "settings", lambda: SimpleNamespace(home=local_lake))
    log = write_log(sent(), local_lake)
    fill(spark, DAY, log, records(spark, local_lake))
    costs = night(spark, DAY, log, local_lake)
    assert list(costs) == list(Step)
    assert all(cost > 0 for cost in costs.values())
    assert is_settled(DAY)
    return local_lake


def test_duckdb_finds_the_truth_and_a_wrong_row_is_seen(settled: Path) -> None:
    out = settled / "duckdb"
    out.mkdir()
    recompute(settled, DAY, out)
    assert differing(settled, out) == []
    with connect() as own:
        late = own.execute(
            f"SELECT payment_status FROM '{out / 'order_payments.parquet'}' WHERE customer_id = 'c-999' ORDER BY 1"
        )
        assert [status for (status,) in late.fetchall()].count("paid") == 1
        visit = own.execute(f"SELECT orders, seconds FROM '{out / 'shop_visits.parquet'}' WHERE customer_id = 'c-999'")
        assert visit.fetchall() == [(12, 11 * 1800)]
        (events,) = own.execute(f"SELECT count(*) FROM '{out / 'events.parquet'}'").fetchone() or (0,)
    assert events > 500
    spoilt = {
        "events": "SELECT * REPLACE (arrival + INTERVAL 1 MILLISECOND AS arrival)",
        "order_totals": "SELECT * REPLACE (revenue_cents + 1 AS revenue_cents)",
        "order_payments": "SELECT * REPLACE (orders + 1 AS orders)",
        "orders_last_8_minutes": "SELECT * REPLACE (orders + 1 AS orders)",
        "payment_health": "SELECT * REPLACE (failed + 1 AS failed)",
        "rolling_order_rate": "SELECT * REPLACE (orders + 1 AS orders)",
        "order_value_percentiles": "SELECT * REPLACE (p95_cents + 1 AS p95_cents)",
        "payment_failures": "SELECT * REPLACE (failure_rate / 2 + 0.125 AS failure_rate)",
        "fraud_alerts": "SELECT * REPLACE (NULL AS began_at)",
        "shop_visits": "SELECT * REPLACE (clicks + 1 AS clicks)",
        "click_through": "SELECT * REPLACE (clicks + 1 AS clicks)",
        "viewed_together": "SELECT * REPLACE (product_id AS partner_id)",
        "clicks_with_customer": "SELECT * REPLACE ('nowhere' AS region)",
        "search_matches": "SELECT * REPLACE ('nothing' AS words)",
        "open_orders_by_region": "SELECT * REPLACE (open_ms + 1 AS open_ms)",
    }
    assert spoilt.keys() == set(ANSWERS)
    for name, wrong in spoilt.items():
        file = out / f"{name}.parquet"
        right = file.read_bytes()
        with connect() as own:
            own.execute(f"CREATE TABLE found AS FROM '{file}'")
            own.execute(
                f"COPY (({wrong} FROM found LIMIT 1) UNION ALL (SELECT * FROM found OFFSET 1)) TO '{file}' (FORMAT parquet)"
            )
        faults = differing(settled, out)
        assert [fault.split(":")[0] for fault in faults] == [f"truth/{name}"] * 2, faults
        assert all(": 1 rows by " in fault for fault in faults)
        file.write_bytes(right)
