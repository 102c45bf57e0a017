"""An order's state is what its events give: at any time, in any order of arrival, and never more than they say."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from batch.shop.order_history import TOPICS, history
from batch.shop.order_in_gold import Change, difference
from streaming.contracts import CONTRACTS
from streaming.shop.order_state import _CHANGES, State, Status, after

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
PLACED = {"customer_id": "c-1", "items": [{}, {}], "total_cents": 900}
CANCELLED = {"customer_id": "c-1", "reason": "too late"}


def paid(cents: int) -> dict[str, Any]:
    return {"amount_cents": cents}


def told(*events: tuple[str, dict[str, Any]]) -> Iterator[State]:
    state = State()
    for kind, payload in events:
        state = after(state, kind, payload)
        yield state


LIFE = [
    ("order_placed", PLACED),
    ("payment_failed", paid(900)),
    ("payment_captured", paid(900)),
    ("payment_refunded", paid(400)),
    ("payment_refunded", paid(500)),
]


def test_an_order_is_placed_paid_and_refunded() -> None:
    found = [(state.status, state.paid_cents, state.failed_payments) for state in told(*LIFE)]
    assert found == [
        (Status.PLACED, 0, 0),
        (Status.PLACED, 0, 1),
        (Status.PAID, 900, 1),
        (Status.PAID, 500, 1),
        (Status.REFUNDED, 0, 1),
    ]


def test_a_payment_before_its_order_pays_it_when_it_comes() -> None:
    first, second = told(("payment_captured", paid(900)), ("order_placed", PLACED))
    assert (first.status, second.status) == (Status.UNKNOWN, Status.PAID)


@pytest.mark.parametrize(
    "events",
    [
        [("order_placed", PLACED), ("order_cancelled", CANCELLED), ("payment_captured", paid(900))],
        [("order_cancelled", CANCELLED), ("order_placed", PLACED)],
        [*LIFE[:3], ("order_cancelled", CANCELLED), ("payment_refunded", paid(900))],
    ],
    ids=["paid afterwards", "cancelled first", "refunded afterwards"],
)
def test_a_cancelled_order_stays_cancelled(events: list[Any]) -> None:
    last = list(told(*events))[-1]
    assert (last.status, last.reason, last.total_cents) == (Status.CANCELLED, "too late", 900)


def test_what_is_added_counts_and_what_is_shipped_stays_shipped() -> None:
    added, sent = {"items": [{}], "total_cents": 100}, {"customer_id": "c-1"}
    found = list(
        told(*LIFE[:3], ("items_added", added), ("order_shipped", sent), *LIFE[3:], ("payment_captured", paid(5)))
    )
    assert [(state.status, state.total_cents, state.lines) for state in found[2:]] == [
        (Status.PAID, 900, 2),
        (Status.PAID, 1000, 3),
        *[(Status.SHIPPED, 1000, 3)] * 2,
        (Status.REFUNDED, 1000, 3),
        (Status.SHIPPED, 1000, 3),
    ]
    nothing, none_either = told(("items_added", added), ("order_shipped", sent))
    assert nothing == none_either == State()


def test_what_is_placed_twice_or_of_an_unknown_type_changes_nothing() -> None:
    first, second, third = told(
        ("order_placed", PLACED), ("order_placed", PLACED | {"total_cents": 5}), ("order_packed", {})
    )
    assert first == second == third


def test_every_event_type_of_an_orders_topics_has_its_change() -> None:
    assert {kind for topic in TOPICS for kind in CONTRACTS[topic].required} == set(_CHANGES)


def rows(arrivals: tuple[int, ...]) -> list[dict[str, Any]]:
    """The events of LIFE, a minute apart, of which the n-th arrived in the hour `arrivals[n]`."""
    own = []
    for number, ((kind, payload), hour) in enumerate(zip(LIFE, arrivals, strict=True)):
        topic = "orders" if kind.startswith("order") else "payments"
        place = {"topic": topic, "partition": 0, "offset": hour, "event_id": f"e{number}", "event_type": kind}
        times = {"event_time": NOON + timedelta(minutes=number), "arrival": NOON + timedelta(hours=hour)}
        own.append(place | times | {"late_by_ms": 0, "orders": None, "payments": None} | {topic: payload})
    return own


@pytest.mark.parametrize("arrivals", list(permutations(range(5))))
def test_the_order_of_arrival_changes_nothing_but_what_was_known(arrivals: tuple[int, ...]) -> None:
    events = rows(arrivals)
    states = list(told(*LIFE))
    assert [line.state for line in history(events)] == states
    for number, state in enumerate(states):
        assert history(events, at=NOON + timedelta(minutes=number))[-1].state == state
    assert history(events, at=NOON - timedelta(seconds=1)) == []
    hours = range(5)
    for hour in hours:
        known = [one for one, arrived in zip(LIFE, arrivals, strict=True) if arrived <= hour]
        line = history(events, known_at=NOON + timedelta(hours=hour))[-1]
        assert line.state == list(told(*known))[-1]
    assert all(line.changes for line in history(events))


def in_gold(events: list[dict[str, Any]]) -> list[Change]:
    return [Change(one.happened, one.event_id, one.event_type, one.state) for one in history(events) if one.changes]


def test_gold_agrees_with_the_replay_of_the_same_events() -> None:
    again = rows((0, 1, 2, 3, 4))[0] | {"event_id": "e9", "event_time": NOON + timedelta(hours=1)}
    events = [*rows((0, 1, 2, 3, 4)), again]
    assert not history(events)[-1].changes, "gold has no row of it"
    assert difference(in_gold(events), history(events)) is None


def test_the_first_state_that_gold_tells_otherwise_is_named() -> None:
    events = rows((0, 1, 2, 3, 4))
    told = in_gold(events)
    assert difference(told[:3], history(events)) == (
        "change 4 is missing in gold, and paid with 500 cents paid by payment_refunded e3 in the replay"
    )
    lines = history(events, at=NOON)
    assert difference(told, lines) == (
        "change 2 is placed with 0 cents paid by payment_failed e1 in gold, and missing in the replay"
    )
    other = [told[0], replace(told[1], since=NOON), *told[2:]]
    assert str(difference(other, history(events))).startswith("change 2 is placed")
