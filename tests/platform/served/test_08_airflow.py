"""A night by hand, one through the real Airflow, gold through the real gateway: true to the cent."""

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from approval import HELD, OTHER, Story
from fewer import SERVED
from running import Platform
from truth_check import Rows, order_payments, order_totals, sent_events, untrue

from batch.shop.order_history import history
from infra.lake.columns import comment
from streaming.tables.silver import SILVER

pytestmark = pytest.mark.platform

DAYS = (OTHER, HELD)
SURE = ("status", "as_of", "expected_completeness", "revisions")


@pytest.fixture(scope="module")
def whole(story: Story) -> Platform:
    """The platform with the gateway and Airflow, after a night of the one day by hand and a backfill that settled both."""
    return story.platform


def test_both_days_are_settled_with_the_truth(whole: Platform) -> None:
    covered = {row["day"] for row in whole.rows("reconciliation/settlements")}
    assert set(DAYS) <= covered
    assert untrue(whole, DAYS) == []


def test_gold_is_true_to_the_cent_for_every_settled_day(whole: Platform) -> None:
    covered, events = {row["day"] for row in whole.rows("reconciliation/settlements")}, sent_events(whole)
    minutes = {(row["window_start"], row["day"]): row for row in settled(whole, "fct_order_totals", covered)}
    expected = of(order_totals(events), covered)
    assert {key: (row["orders"], row["items"], row["revenue_cents"]) for key, row in minutes.items()} == expected
    assert dict(daily(whole)) == dict(sums(expected))
    orders = {(row["order_id"], row["day"]): row for row in settled(whole, "fct_orders", covered)}
    columns = ("customer_id", "ordered_at", "total_cents", "payment_status", "payment_id", "captured_at", "paid_cents")
    found = {key: tuple(row[name] for name in columns) for key, row in orders.items()}
    assert found == of(order_payments(events), covered)


def test_every_row_says_how_sure_it_is(whole: Platform) -> None:
    settled_at = {row["day"]: row["settled_at"] for row in whole.rows("reconciliation/settlements")}
    covered = set(settled_at)
    for mart in ("fct_orders", "fct_order_totals", "fct_order_payments", "fct_daily_orders"):
        rows = whole.rows(f"gold/{mart}", "day", *SURE)
        assert {row["status"] == "provisional" for row in rows if row["day"] in covered} == {False}
        assert {row["status"] for row in rows if row["day"] not in covered} <= {"provisional"}
        for row in rows:
            is_settled, share = row["status"] != "provisional", row["expected_completeness"]
            assert share == 1 if is_settled else share is None or 0 <= share < 1
            assert (row["status"] == "corrected") == (row["revisions"] > 0)
            if row["day"] in DAYS:
                assert row["as_of"] == settled_at[row["day"]]
    assert {row["unexplained"] for row in whole.rows("gold/rpt_reconciliation", "unexplained")} == {0}


def test_a_row_counts_its_corrections(whole: Platform) -> None:
    ledger = Counter(
        datetime.fromisoformat(json.loads(row["key"])["window_start"])
        for row in whole.rows("reconciliation/corrections")
        if row["view"] == "order_totals" and row["day"] in DAYS
    )
    rows = [row for row in whole.rows("gold/fct_order_totals") if row["day"] in DAYS]
    assert {row["window_start"].astimezone(UTC): row["revisions"] for row in rows if row["revisions"]} == dict(ledger)
    assert ledger


def test_every_settled_day_has_its_curve_and_the_night_everything(whole: Platform) -> None:
    settled = {(row["day"], row["run"]) for row in whole.rows("reconciliation/settlements")}
    assert {(row["day"], row["run"]) for row in whole.rows("reconciliation/curve", "day", "run")} == settled
    shares = whole.rows("gold/rpt_completeness", "view", "delay_seconds", "events_share", "rows_share")
    nights = [row for row in shares if row["delay_seconds"] is None]
    assert {row["view"] for row in nights} == set(SERVED)
    assert {row["topic"] for row in whole.rows("truth/events", "topic")} == {"orders", "payments"}
    for row in nights:
        # There is no share of nothing: of a rare view's rows.
        has_rows = whole.rows(f"truth/{row['view']}")
        assert (row["events_share"], row["rows_share"]) == (1, 1 if has_rows else None), row


def test_freshness_is_known_from_bronze_to_gold(whole: Platform) -> None:
    said = whole.run("daybreak", "freshness", "--minutes", "60", "--from", "arrival", "--json").stdout
    found = {row["stage"]: row for row in json.loads(said)}
    views = {f"speed/{view}" for view in SERVED if whole.rows(f"speed/{view}", "batch_id")}
    assert set(found) == {"bronze", "silver", *views, "gold"}
    # Everything was drained before the first build began. A micro-batch of payments alone says nothing of orders.
    assert found["bronze"]["events"] == found["silver"]["events"] == found["gold"]["events"]
    for view in views:
        assert 0 < found[view]["events"] <= found["bronze"]["events"], view
    for row in (row for row in found.values() if row["events"]):
        assert 0 < row["p50"] <= row["p95"] <= row["p99"]
    # What is written side by side has no order; gold comes behind all of it.
    assert max(row["p50"] for stage, row in found.items() if row["events"] and stage != "gold") < found["gold"]["p50"]


def test_every_orders_events_give_what_gold_serves(whole: Platform) -> None:
    """Two ways to one state: the fold of an order's events, three days after it was placed; and the view, through the night."""
    events: dict[str, list[dict[str, Any]]] = {}
    for row in whole.rows("silver/events"):
        if payload := row["orders"] or row["payments"]:
            events.setdefault(payload["order_id"], []).append(row)
    covered = {row["day"] for row in whole.rows("reconciliation/settlements")}
    orders = settled(whole, "fct_orders", covered)
    for row in orders:
        state = history(events[row["order_id"]], at=row["ordered_at"] + timedelta(days=3))[-1].state
        assert (state.customer_id, state.total_cents) == (row["customer_id"], row["total_cents"])
        assert (state.paid_cents > 0) == (row["payment_status"] == "paid"), row
    paid_one = next(row["order_id"] for row in orders if row["payment_status"] == "paid")
    said = whole.run("daybreak", "state", "--order", paid_one).stdout
    assert f"{paid_one} is paid" in said
    assert "the night has settled its day with the same events" in said
    assert "gold: paid within three days" in said
    assert "changes in gold are those that a replay of the same events gives" in said


def test_every_table_of_the_lake_says_what_it_holds(whole: Platform) -> None:
    tables = [json.loads(line) for line in whole.run("daybreak", "tables", "--json").stdout.splitlines()]
    assert {"bronze.events", "truth.order_totals", "gold.fct_orders"} <= {table["name"] for table in tables}
    assert [table["name"] for table in tables if not table["description"]] == []
    columns = whole.run("daybreak", "tables", SILVER.sql, "--json").stdout.splitlines()
    assert [json.loads(line)["description"] for line in columns] == [comment(field) for field in SILVER.schema]


def settled(platform: Platform, mart: str, covered: set[date]) -> list[dict[str, Any]]:
    return [row for row in platform.rows(f"gold/{mart}") if row["day"] in covered]


def of(rows: Rows, covered: set[date]) -> Rows:
    return {key: values for key, values in rows.items() if key[-1] in covered}


def sums(minutes: Rows) -> dict[date, tuple[int, ...]]:
    """Orders, items and revenue by day."""
    found: dict[date, tuple[int, ...]] = {}
    for (*_, day), values in minutes.items():
        found[day] = tuple(a + b for a, b in zip(found.get(day, (0, 0, 0)), values, strict=True))
    return found


def daily(platform: Platform) -> list[tuple[date, tuple[int, ...]]]:
    covered = {row["day"] for row in platform.rows("reconciliation/settlements")}
    rows = settled(platform, "fct_daily_orders", covered)
    return [(row["day"], (row["orders"], row["items"], row["revenue_cents"])) for row in rows]
