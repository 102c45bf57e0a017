"""The rules of an order's row give what the platform's fold of the same events gives, in whatever order they happen."""

from random import Random
from typing import Any

from infra.shop.db.orders import STATE
from infra.shop.followers.order_row import FOUND, OrderRow, after
from streaming.shop import order_state
from streaming.shop.order_state import State

KINDS = [
    "order_placed",
    "items_added",
    "order_shipped",
    "order_cancelled",
    "payment_captured",
    "payment_failed",
    "payment_refunded",
]


def payload(chance: Random) -> dict[str, Any]:
    """All that an event of any kind may say."""
    return {
        "customer_id": f"c-{chance.randrange(3)}",
        "reason": chance.choice(("", "slow")),
        "items": [{}] * chance.randrange(1, 4),
        "total_cents": chance.choice((0, 300)),
        "amount_cents": chance.choice((100, 200, 300)),
    }


def columns(of: object) -> dict[str, Any]:
    return {name: getattr(of, name) for name in STATE}


def test_random_histories_end_as_the_fold_of_their_events_does() -> None:
    chance, seen = Random(1), set[str]()
    for _ in range(3000):
        row, state = OrderRow(), State()
        for _ in range(chance.randrange(1, 12)):
            # Cancelled orders change no more, so there are few.
            kind = chance.choices(KINDS, (5, 5, 5, 1, 5, 2, 5))[0]
            said = payload(chance)
            state = order_state.after(state, kind, said)
            row = after(row, kind, said | {"lines": len(said["items"])})
            assert columns(row) == columns(state), kind
            assert row.is_shipped == state.is_shipped
            seen.add(row.status)
    assert seen == {*order_state.Status}


def test_only_a_refunded_row_does_not_tell_whether_it_was_shipped() -> None:
    chance = Random(2)
    for _ in range(3000):
        row = OrderRow()
        for _ in range(chance.randrange(1, 12)):
            said = payload(chance)
            row = after(row, chance.choice(KINDS), said | {"lines": len(said["items"])})
        if row.status not in ("refunded", "cancelled"):
            assert OrderRow.read(columns(row)) == row


def test_a_row_that_was_found_takes_the_place_of_older_events() -> None:
    said = {"customer_id": "c-1", "lines": 1, "total_cents": 300}
    older = after(after(OrderRow(), "payment_captured", {"amount_cents": 100}), "order_placed", said)
    found = after(older, FOUND, {**columns(OrderRow()), **said, "status": "placed"})
    assert (found.status, found.paid_cents) == ("placed", 0)
