"""A run of the shop is repeatable, believable, and says of every record what it is."""

import json
import re
from collections import Counter, defaultdict
from itertools import pairwise
from random import Random
from typing import Any
from uuid import UUID

import pytest

from infra.shop.day import DAY_MS, HOUR_MS, SHOP_DAY, moments
from infra.shop.faults import Copy, Faults
from infra.shop.malformed import MALFORMATIONS
from infra.shop.run import Run
from infra.shop.story import TOPICS

START = 20_500 * DAY_MS
AHEAD = START + 30 * DAY_MS
RATE = 0.2


def a_run(days: int = 2, **changed: Any) -> Run:
    return Run(
        **{"start_ms": START, "end_ms": START + days * DAY_MS, "rate": RATE, "seed": 7, "ahead_ms": AHEAD} | changed
    )


@pytest.fixture(scope="module")
def sent() -> list[Copy]:
    return list(a_run(faults=Faults(malformed=0.01, future=0.01)).records())


@pytest.fixture(scope="module")
def events(sent: list[Copy]) -> list[dict[str, Any]]:
    """Each good event once, in the order of its first sending."""
    return [json.loads(copy.value or b"") for copy in sent if copy.kind in ("good", "late")]


def test_the_same_seed_sends_the_same_bytes_in_the_same_order(sent: list[Copy]) -> None:
    assert list(a_run(faults=Faults(malformed=0.01, future=0.01)).records()) == sent


@pytest.mark.parametrize("change", [{"seed": 8}, {"rate": 0.21}, {"start_ms": START - DAY_MS}])
def test_another_run_never_reuses_an_id(sent: list[Copy], change: dict[str, Any]) -> None:
    other = {copy.event_id for copy in a_run(**change).records()} - {None}
    assert not other & {copy.event_id for copy in sent}


def test_other_faults_leave_the_good_events_as_they_are(events: list[dict[str, Any]]) -> None:
    spotless = Faults(duplicates=0, late=0, malformed=0, future=0, jitter_seconds=0)
    clean = [json.loads(copy.value or b"") for copy in a_run(faults=spotless).records()]
    assert sorted(event["event_id"] for event in clean) == sorted(event["event_id"] for event in events)
    assert [event["event_time"] for event in clean] == sorted(event["event_time"] for event in clean)


def test_the_rate_is_the_mean_of_good_events_per_second(events: list[dict[str, Any]]) -> None:
    assert len(events) / (2 * DAY_MS / 1000) == pytest.approx(RATE, rel=0.03)


def test_evenings_are_busier_than_nights() -> None:
    hours = Counter(moment // HOUR_MS for moment in moments(Random(1), 0, DAY_MS, 1.0, SHOP_DAY))
    assert hours[20] > 10 * hours[3]
    assert sum(hours.values()) == pytest.approx(86_400, rel=0.02)


def test_every_event_is_what_the_domain_says(events: list[dict[str, Any]]) -> None:
    for event in events:
        assert UUID(event["event_id"]).version == 4
        assert START <= event["event_time"] < START + 2 * DAY_MS
        assert event["schema_version"] == (2 if "channel" in event else 1)
        assert "order_id" not in event or re.fullmatch("o-[0-9a-f]{8,32}", event["order_id"])
        if event["event_type"] == "order_placed":
            assert 1 <= len(event["items"]) <= 6
            assert (
                event["total_cents"] == sum(item["quantity"] * item["unit_price_cents"] for item in event["items"]) > 0
            )
            assert all(re.fullmatch("p-[0-9]{1,12}", item["product_id"]) for item in event["items"])
        elif event["event_type"].startswith("payment_"):
            assert re.fullmatch("pay-[0-9a-f]{8,32}", event["payment_id"])
            assert re.fullmatch("card-[0-9]{1,12}", event["card_id"])
        if "customer_id" in event:
            assert re.fullmatch("c-[0-9]{1,12}", event["customer_id"])


ORDER = ("order_placed", "order_cancelled")


def test_a_third_of_the_orders_is_written_by_the_newer_version(events: list[dict[str, Any]]) -> None:
    versions = Counter(event["schema_version"] for event in events if event["event_type"] == "order_placed")
    assert versions[2] / versions.total() == pytest.approx(5 / 16, abs=0.05)
    by_order = {(event["order_id"], event["schema_version"]) for event in events if event["event_type"] in ORDER}
    assert len(by_order) == len({order for order, _ in by_order}), "an order is placed and cancelled in one place"


def test_orders_are_paid_retried_forgotten_and_refunded(events: list[dict[str, Any]]) -> None:
    story: dict[str, Counter[str]] = defaultdict(Counter)
    placed = {event["order_id"]: event for event in events if event["event_type"] == "order_placed"}
    waits = []
    for event in events:
        if "order_id" not in event:
            continue
        story[event["order_id"]][event["event_type"]] += 1
        if event["event_type"] == "payment_captured":
            order = placed[event["order_id"]]
            assert event["amount_cents"] == order["total_cents"]
            waits.append(event["event_time"] - order["event_time"])
    lives = story.values()
    assert all(life["payment_captured"] <= 1 for life in lives)
    assert 0.03 < sum(not life["payment_captured"] for life in lives) / len(lives) < 0.12
    assert any(life["payment_failed"] and life["payment_captured"] for life in lives)
    assert any(life["payment_refunded"] for life in lives)
    assert any(wait > HOUR_MS for wait in waits)
    assert sorted(waits)[len(waits) // 2] < 60_000
    over_midnight = [event for event in events if event["event_type"] == "payment_captured"]
    assert any(
        event["event_time"] // DAY_MS != placed[event["order_id"]]["event_time"] // DAY_MS for event in over_midnight
    )


def test_customers_come_back(events: list[dict[str, Any]]) -> None:
    orders = Counter(event["customer_id"] for event in events if event["event_type"] == "order_placed")
    assert 0.02 < sum(count - 1 for count in orders.values()) / orders.total() < 0.5


def test_faults_come_as_often_as_set(sent: list[Copy], events: list[dict[str, Any]]) -> None:
    kinds = Counter(copy.kind.split(":")[0] for copy in sent)
    for kind, share in {"duplicate": 0.02, "late": 0.01, "malformed": 0.01, "future": 0.01}.items():
        assert kinds[kind] / len(events) == pytest.approx(share, rel=0.25), kind
    for topic in TOPICS:
        assert {copy.kind.split(":")[0] for copy in sent if copy.topic == topic} == {"good", *kinds}
    assert {copy.kind for copy in sent if ":" in copy.kind} == {f"malformed:{way.name}" for way in MALFORMATIONS}


def test_a_duplicate_is_the_same_bytes_after_the_original(sent: list[Copy]) -> None:
    seen: dict[str | None, Copy] = {}
    for copy in sent:
        if copy.kind == "duplicate":
            assert (copy.key, copy.value) == (seen[copy.event_id].key, seen[copy.event_id].value)
        elif copy.kind in ("good", "late"):
            assert copy.event_id not in seen
            seen[copy.event_id] = copy


def test_late_is_minutes_to_days_and_disorder_is_seconds(sent: list[Copy]) -> None:
    for copy in sent:
        if copy.kind in ("good", "late"):
            lateness = copy.send_ms - json.loads(copy.value or b"")["event_time"]
            assert lateness <= 20_000 if copy.kind == "good" else 120_000 <= lateness <= 2 * DAY_MS
    times = [json.loads(copy.value or b"")["event_time"] for copy in sent if copy.kind == "good"]
    assert sum(later < earlier for earlier, later in pairwise(times)) > len(times) / 5


def test_a_future_record_is_dated_past_the_end_of_sending(sent: list[Copy]) -> None:
    ahead = [json.loads(copy.value or b"")["event_time"] - AHEAD for copy in sent if copy.kind == "future"]
    assert min(ahead) >= 600_000
    assert max(ahead) <= 2 * DAY_MS


def test_only_a_malformed_record_differs_from_every_good_one(sent: list[Copy]) -> None:
    good = {(copy.key, copy.value) for copy in sent if copy.kind in ("good", "late", "duplicate")}
    assert not [copy for copy in sent if ":" in copy.kind and (copy.key, copy.value) in good]


def test_a_live_run_never_sends_what_has_not_happened() -> None:
    run = a_run(end_ms=START + 600_000, rate=20.0, live=True, faults=Faults(jitter_seconds=2.0))
    records = list(run.records())
    kinds = Counter(copy.kind.split(":")[0] for copy in records)
    assert min(kinds[kind] for kind in ("good", "duplicate", "late", "malformed", "future")) > 0
    for copy in records:
        if copy.kind in ("good", "late", "duplicate"):
            lateness = copy.send_ms - json.loads(copy.value or b"")["event_time"]
            assert lateness >= 0
            assert copy.kind != "late" or lateness > 100_000


def test_what_happens_is_what_is_sent_without_faults_in_order() -> None:
    faultless = Faults(duplicates=0, late=0, malformed=0, future=0, jitter_seconds=0)
    sent = {copy.event_id: copy.value for copy in a_run(faults=faultless).records()}
    happened = list(a_run().events())
    assert {event.event_id: event.value for event in happened} == sent
    assert all(one.time_ms <= other.time_ms for one, other in pairwise(happened))


def test_no_two_events_of_an_order_have_one_time() -> None:
    """The shop's database takes an event that is not newer than the order's row for one that it has written."""
    times: dict[str, list[int]] = defaultdict(list)
    for event in a_run(days=4, rate=0.5).events():
        if order := json.loads(event.value).get("order_id"):
            times[order].append(event.time_ms)
    assert max(map(len, times.values())) > 4
    assert all(len(set(own)) == len(own) for own in times.values())
