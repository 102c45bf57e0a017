"""The shop tells one story: what one event says holds in the others too, and everything is as frequent as stated."""

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from math import sqrt
from random import Random
from typing import Any

import pytest

from infra.shop import people
from infra.shop.day import DAY_MS
from infra.shop.event import HOUR, MINUTE, SECOND
from infra.shop.people import GUESTS, Members
from infra.shop.story import CHANGES, EVENTS_PER_MOMENT, FRAUDS, MEMBER_VISITS, OPENING_EVENTS, TOPICS, Story
from infra.shop.visit import BUYS, IN_VAIN, SAVES

START = 20_500 * DAY_MS
MOMENTS, APART = 40_000, 7 * SECOND
VISITS = MOMENTS * MEMBER_VISITS

Told = dict[str, Any]


@pytest.fixture(scope="module")
def told() -> list[Told]:
    """Every event of three days, with its topic, in the order in which they happened."""
    story = Story(Random(3))
    found = story.opening(START)
    assert len(found) == OPENING_EVENTS
    for number in range(MOMENTS):
        moment_ms = START + number * APART
        events = story.events(moment_ms)
        assert all(event.time_ms >= moment_ms for event in events)
        found += events
    rows = [{"topic": event.topic, "key": event.key.decode(), **json.loads(event.value)} for event in found]
    return sorted(rows, key=lambda row: row["event_time"])


def of(told: list[Told], *topics: str) -> Iterator[Told]:
    return (event for event in told if event["topic"] in topics)


def by(told: list[Told], topic: str, field: str) -> dict[str, list[Told]]:
    """The events of a topic by a field, each list in the order of time."""
    found: dict[str, list[Told]] = defaultdict(list)
    for event in of(told, topic):
        found[event[field]].append(event)
    return found


def test_a_moment_has_as_many_events_as_stated(told: list[Told]) -> None:
    assert (len(told) - OPENING_EVENTS) / MOMENTS == pytest.approx(EVENTS_PER_MOMENT, rel=0.012)


def test_each_topic_has_its_share_of_the_traffic(told: list[Told]) -> None:
    topics = Counter(event["topic"] for event in told)
    assert set(topics) == set(TOPICS)
    assert 0.55 < (topics["orders"] + topics["payments"]) / len(told) < 0.6
    assert 0.3 < (topics["searches"] + topics["clicks"]) / len(told) < 0.4
    assert min(topics[topic] for topic in ("products", "customers", "saved_searches")) / len(told) > 0.015
    assert topics["products"] - OPENING_EVENTS + 1 == pytest.approx(MOMENTS * CHANGES, rel=0.1)


def test_a_click_is_on_a_product_that_its_visit_was_shown_there(told: list[Told]) -> None:
    searches = by(told, "searches", "session_id")
    for click in of(told, "clicks"):
        shown = [search for search in searches[click["session_id"]] if search["event_time"] < click["event_time"]][-1]
        assert shown["product_ids"][click["position"] - 1] == click["product_id"]
        assert shown["customer_id"] == click["customer_id"]


def test_what_stands_higher_is_clicked_more(told: list[Told]) -> None:
    positions = Counter(click["position"] for click in of(told, "clicks"))
    assert all(positions[place] > positions[place + 1] for place in range(1, 8))


def test_a_members_order_is_of_products_clicked_in_one_visit(told: list[Told]) -> None:
    clicks, from_visits = by(told, "clicks", "customer_id"), 0
    for order in of(told, "orders"):
        if order["event_type"] == "order_placed" and not is_guest(order["customer_id"]):
            from_visits += 1
            sessions: dict[str, set[str]] = defaultdict(set)
            for click in clicks[order["customer_id"]]:
                if order["event_time"] - 15 * MINUTE < click["event_time"] < order["event_time"]:
                    sessions[click["session_id"]].add(click["product_id"])
            bought = {item["product_id"] for item in order["items"]}
            assert any(bought <= clicked for clicked in sessions.values())
    assert from_visits == pytest.approx(VISITS * BUYS, rel=0.06)


def is_guest(customer: str) -> bool:
    return int(customer.removeprefix("c-")) <= GUESTS


def test_what_is_shown_or_bought_is_on_sale_at_its_price(told: list[Told]) -> None:
    products = by(told, "products", "product_id")
    times = {product: [event["event_time"] for event in changes] for product, changes in products.items()}

    def known(product: str, time_ms: int) -> list[Told]:
        """The product as it was at some time in the last quarter of an hour: a visit sees it as it was at its beginning."""
        first, last = (bisect_right(times[product], time) for time in (time_ms - 15 * MINUTE, time_ms))
        return [event for event in products[product][max(first - 1, 0) : last] if "price_cents" in event]

    for event in of(told, "searches"):
        assert all(known(product, event["event_time"]) for product in event["product_ids"])
    for event in of(told, "orders"):
        for item in event.get("items", ()):
            prices = {row["price_cents"] for row in known(item["product_id"], event["event_time"])}
            assert item["unit_price_cents"] in prices


def test_a_product_is_listed_before_it_changes_and_again_after_withdrawal(told: list[Told]) -> None:
    kinds = Counter()
    for changes in by(told, "products", "product_id").values():
        steps = ["product_withdrawn", *(event["event_type"] for event in changes)]
        for before, after in pairwise(steps):
            assert (before == "product_withdrawn") == (after == "product_listed")
        assert len({(event["title"], event["brand"]) for event in changes if "title" in event}) == 1
        kinds.update(steps[1:])
    assert min(kinds[f"product_{what}"] for what in ("listed", "changed", "withdrawn")) > 100


def test_a_member_registers_before_all_else_and_leaves_after_it(told: list[Told]) -> None:
    changes, seen = by(told, "customers", "customer_id"), defaultdict(list)
    for event in of(told, "searches", "clicks"):
        assert not is_guest(event["customer_id"])
        seen[event["customer_id"]].append(event["event_time"])
    for customer, visits in seen.items():
        first, *later = changes[customer]
        assert first["event_type"] == "customer_registered"
        assert first["event_time"] < visits[0]
        assert not [event for event in later if event["event_type"] == "customer_registered"]
        assert not [event for event in later[:-1] if event["event_type"] == "customer_left"]
        if later and later[-1]["event_type"] == "customer_left":
            assert later[-1]["event_time"] > visits[-1]
        homes = [event["region"] for event in (first, *later) if "region" in event]
        assert all(before != after for before, after in pairwise(homes))
    kinds = Counter(event["event_type"] for event in of(told, "customers"))
    assert min(kinds[f"customer_{what}"] for what in ("moved", "left")) > 100
    assert len({event["region"] for event in of(told, "customers") if "region" in event}) == 8


def test_what_somebody_waits_for_is_listed_later_now_and_then(told: list[Told]) -> None:
    saved, found, vain = dict[str, set[str]](), 0, 0
    for event in of(told, "saved_searches", "products"):
        if event["event_type"] == "search_saved":
            saved[event["search_id"]] = set(event["words"].split(" "))
        elif event["event_type"] == "search_removed":
            vain += saved.pop(event["search_id"], None) is not None
        elif event["event_type"] == "product_listed":
            found += sum(words <= set(event["title"].split(" ")) for words in saved.values())
    assert min(found, vain) > 100


def test_words_are_saved_by_a_customer_who_found_nothing(told: list[Told]) -> None:
    searches, saved = by(told, "searches", "customer_id"), {}
    for event in of(told, "saved_searches"):
        if event["event_type"] == "search_removed":
            assert saved[event["search_id"]]["customer_id"] == event["customer_id"]
            continue
        assert event["search_id"] not in saved
        saved[event["search_id"]] = event
        tried = [row for row in searches[event["customer_id"]] if 0 < event["event_time"] - row["event_time"] < MINUTE]
        assert [row for row in tried if row["query"] == event["words"] and not row["product_ids"]]
    assert len(saved) == pytest.approx(VISITS * IN_VAIN * SAVES, rel=0.1)


def test_most_visits_end_without_an_order(told: list[Told]) -> None:
    visits = len(by(told, "searches", "session_id"))
    clicking = len(by(told, "clicks", "session_id"))
    assert visits == pytest.approx(VISITS, rel=0.03)
    assert BUYS * visits < clicking < (1 - IN_VAIN) * visits


def test_stolen_cards_are_tried_as_rarely_as_stated(told: list[Told]) -> None:
    tried = sum(is_tried(payments) for payments in by(told, "payments", "card_id").values())
    expected = MOMENTS * FRAUDS
    assert abs(tried - expected) < 3 * sqrt(expected)


def is_tried(payments: list[Told]) -> bool:
    """Within ten minutes: captured under 5.00, at least two failures, captured over 100.00."""
    for at, small in enumerate(payments):
        if small["event_type"] == "payment_captured" and small["amount_cents"] < 500:
            failures = 0
            for later in payments[at + 1 :]:
                if later["event_time"] - small["event_time"] > 10 * MINUTE:
                    break
                failures += later["event_type"] == "payment_failed"
                if failures >= 2 and later["event_type"] == "payment_captured" and later["amount_cents"] > 10_000:
                    return True
    return False


def test_a_run_remembers_so_many_members_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "MOST_MEMBERS", 10)
    rng, members = Random(1), Members()
    registered = [members.register(rng, START)[0].number for _ in range(50)]
    monkeypatch.setattr(people, "NEW", 0.0)
    monkeypatch.setattr(people, "LEAVES", 0.0)
    visitors = {members.visitor(rng, START + HOUR)[0].number for _ in range(2_000)}
    assert len(visitors) == 10
    assert visitors < set(registered)
