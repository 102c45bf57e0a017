"""The order service: what it accepts and rejects, and that its state is what its events give."""

import json
import random
from uuid import UUID

import pytest
from order_shop import NOON, Shop, commands
from typer.testing import CliRunner

from infra.failures import PermanentFailure
from infra.shop.day import DAY_MS
from infra.shop.orders.answered import HORIZON_MS, PART, Answered
from infra.shop.orders.answers import EVENT, fact_of, is_own
from infra.shop.orders.order import ANSWERS
from infra.shop.orders.state import KEPT_MS, State
from streaming.commands import send
from streaming.shop.order_state import State as Folded
from streaming.shop.order_state import Status, after


def test_an_order_is_placed_added_to_paid_shipped_and_refunded() -> None:
    shop, items = Shop(), [{"product_id": "p-2", "quantity": 1, "unit_price_cents": 50}]
    told = [
        shop.place(1, quantity=2),
        shop.ask("add_item", 2, order_id="o-00000001", items=items, total_cents=50),
        shop.ask("ship_order", 3, order_id="o-00000001"),
        shop.pay(4, 250),
        shop.ask("ship_order", 5, order_id="o-00000001"),
        shop.ask("refund_payment", 6, order_id="o-00000001", payment_id="pay-00000004", amount_cents=100),
        shop.ask("refund_payment", 7, order_id="o-00000001", payment_id="pay-00000004", amount_cents=151),
        shop.ask("refund_payment", 8, order_id="o-00000001", payment_id="pay-00000004", amount_cents=50),
        shop.ask("refund_payment", 9, order_id="o-00000001", payment_id="pay-00000004", amount_cents=101),
    ]
    refunds = ["accepted", "more_than_was_paid", "accepted", "more_than_was_paid"]
    assert told == [*["accepted"] * 2, "not_paid", *["accepted"] * 2, *refunds]
    kinds = [event["event_type"] for event in shop.events()]
    assert kinds == ["order_placed", "items_added", "payment_captured", "order_shipped", *["payment_refunded"] * 2]
    times = [event["event_time"] for event in shop.events()]
    assert times == sorted(set(times))


def test_of_two_who_buy_the_last_piece_one_gets_it() -> None:
    shop = Shop()
    assert shop.receive(1, 1) == "accepted"
    assert (shop.place(2), shop.place(3, "o-00000002", customer="c-2")) == ("accepted", "out_of_stock")
    assert shop.ask("cancel_order", 4, order_id="o-00000001", reason="") == "accepted"
    assert shop.place(5, "o-00000002", customer="c-2") == "accepted"
    assert shop.state.stock == {"p-1": 0}


def test_a_product_that_is_not_counted_never_runs_out() -> None:
    shop = Shop()
    assert (shop.place(1, quantity=1000), shop.receive(2, 5)) == ("accepted", "accepted")
    # What was ordered before its stock was counted does not come back to it.
    shop.ask("cancel_order", 3, order_id="o-00000001", reason="")
    assert shop.state.stock == {"p-1": 5}


def test_each_rule_has_its_reason() -> None:
    shop = Shop()
    shop.place(1, quantity=2)
    shop.pay(2, 100)
    mine = {"order_id": "o-00000001"}
    assert shop.place(3) == "already_placed"
    assert shop.receive(4, 1, "c-1") == "not_allowed"
    assert shop.ask("ship_order", 5, order_id="o-000000ff") == "unknown_order"
    assert shop.ask("ship_order", 6, customer="c-2", **mine) == "not_your_order"
    assert shop.pay(7, 100, payment_id="pay-00000002") == "payment_is_known"
    assert shop.pay(8, 101) == "more_than_is_due"
    assert shop.ask("refund_payment", 9, payment_id="pay-000000ff", amount_cents=1, **mine) == "unknown_payment"
    assert shop.pay(10, 1, at=NOON - HORIZON_MS - 1) == "too_old"
    assert shop.pay(11, 1, at=NOON + 5 * 60_000 + 1) == "in_the_future"
    many = [{"product_id": "p-2", "quantity": 1, "unit_price_cents": 0}] * 100
    assert shop.ask("add_item", 12, items=many, total_cents=0, **mine) == "too_many_items"
    assert shop.ask("cancel_order", 13, reason="late", **mine) == "accepted"
    assert shop.pay(14, 100) == shop.ask("ship_order", 15, **mine) == "is_cancelled"
    assert shop.ask("refund_payment", 16, payment_id="pay-00000002", amount_cents=100, **mine) == "accepted"
    assert shop.place(17, "o-00000002") == shop.pay(18, 100, "o-00000002") == "accepted"
    assert shop.ask("ship_order", 19, order_id="o-00000002") == "accepted"
    assert shop.ask("cancel_order", 20, order_id="o-00000002", reason="") == "is_shipped"


@pytest.mark.parametrize(
    "value",
    [
        None, b"", b"{", b"[]", b"7", b"\xff", b"{}", b'{"event_type":"place_order"}', b'{"event_type":"\\ud800"}', b"[" * 60_000,
        b'{"event_id":7}', b'{"event_id":"' + b"9" * 70_000 + b'"}', b"1" * 5_000, b'{"event_time":NaN}',
    ],
    ids=lambda value: repr(value)[:40],
)  # fmt: skip
def test_what_is_no_command_is_answered_once_and_changes_nothing(value: bytes | None) -> None:
    shop = Shop()
    assert shop.send(value) == "malformed"
    (record,) = shop.records
    said = json.loads(record.value)
    assert (said["event_type"], said["reason"]) == ("command_rejected", "malformed")
    assert said["why"]
    assert not shop.state.orders


def test_a_command_in_another_customers_partition_or_version_is_rejected() -> None:
    shop = Shop()
    command = {
        "event_id": str(UUID(int=1)),
        "event_type": "ship_order",
        "event_time": NOON,
        "customer_id": "c-1",
        "order_id": "o-00000001",
    }
    assert shop.send(json.dumps(command | {"schema_version": 1}).encode(), b"c-2") == "malformed"
    later = command | {"event_id": str(UUID(int=2)), "schema_version": 2}
    assert shop.send(json.dumps(later).encode()) == "unknown_version"
    # Its client knows the answer by the command's own id.
    assert json.loads(shop.records[-1].value)["command_id"] == str(UUID(int=2))


def test_a_command_that_is_sent_again_has_one_answer() -> None:
    shop = Shop()
    assert (shop.place(1), shop.place(1), shop.place(1, arrival_ms=NOON + 3 * DAY_MS)) == ("accepted", None, None)
    assert len([record for record in shop.records if record.topic == ANSWERS]) == 1


@pytest.mark.parametrize("seed", range(20))
def test_the_state_is_what_the_events_give(seed: int) -> None:
    shop, again = Shop(), State()
    commands(random.Random(seed), shop, 300)
    said = {record.number: json.loads(record.value)["command_id"] for record in shop.records if record.topic == ANSWERS}
    for record in sorted(shop.records, key=lambda one: one.number):
        fields = json.loads(record.value)
        assert record.topic == ANSWERS or is_own(fields, said[record.number], EVENT)
        if fact := fact_of(fields):
            again.apply(fact)
    assert (again.orders, again.stock) == (shop.state.orders, shop.state.stock)
    assert len(shop.state.answered) == len(said)
    assert any(fields["event_type"] == "order_shipped" for fields in shop.events())


@pytest.mark.parametrize("seed", range(20))
def test_service_and_stream_make_the_same_of_an_orders_events(seed: int) -> None:
    shop = Shop()
    commands(random.Random(seed), shop, 300)
    folded: dict[str, Folded] = {}
    # In the order of event times, as the stream's readers sort them.
    for event in sorted(shop.events(), key=lambda one: int(one["event_time"])):
        folded[event["order_id"]] = after(folded.get(event["order_id"], Folded()), event["event_type"], event)
    for order_id in shop.state.orders:
        order, stream = shop.state.order(order_id), folded[order_id]
        assert order
        assert (order.total_cents, order.paid_cents, order.lines) == (
            stream.total_cents,
            stream.paid_cents,
            stream.lines,
        )
        assert order.is_cancelled == (stream.status is Status.CANCELLED)
        assert order.is_shipped == stream.is_shipped


def test_answered_ids_are_forgotten_when_none_may_come_again() -> None:
    known = Answered()
    for number in range(PART + 1):
        known.add(str(UUID(int=number)), NOON)
    assert known.changed == {(NOON // DAY_MS, 0), (NOON // DAY_MS, 1)}
    again = Answered()
    for place in known.changed:
        again.restore(place, known.part(place) or b"")
    assert (len(again), str(UUID(int=PART)) in again) == (PART + 1, True)
    known.forget(NOON + HORIZON_MS + DAY_MS)
    assert str(UUID(int=1)) in known
    known.forget(NOON + HORIZON_MS + 3 * DAY_MS)
    assert len(known) == 0
    assert all(known.part(place) is None for place in known.changed)


def test_an_order_is_forgotten_long_after_its_last_event() -> None:
    shop = Shop()
    shop.place(1)
    shop.state.changed_orders.clear()
    shop.state.forget(NOON + KEPT_MS)
    assert shop.state.orders
    shop.state.forget(NOON + KEPT_MS + 2 * DAY_MS)
    assert (dict(shop.state.orders), shop.state.changed_orders) == ({}, {"o-00000001"})


def test_an_app_order_is_written_in_the_version_that_has_its_channel() -> None:
    shop = Shop()
    shop.place(1, channel="app")
    (event,) = shop.events()
    assert (event["schema_version"], event["channel"], event["currency"]) == (2, "app", "EUR")


@pytest.mark.parametrize("topic", ["answers", "order-state"])
def test_nobody_else_sends_what_the_service_writes(topic: str) -> None:
    done = CliRunner().invoke(send.commands, [topic, "-"], input="{}")
    assert isinstance(done.exception, PermanentFailure)
    assert f"only the order service writes the topic '{topic}'" in str(done.exception)
