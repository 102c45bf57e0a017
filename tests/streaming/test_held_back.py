"""The watermark waits for records behind an open transaction, for a limited time, and says so."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from infra.kafka.ends import Open
from infra.problems import problems
from streaming.positions import held_back
from streaming.positions.held_back import HeldBack

ORDERS, PAYMENTS = ("orders", 0), ("payments", 1)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = SimpleNamespace(
        home=tmp_path, transaction_wait_seconds=60, kafka_bootstrap="broker:9092", embedded=lambda name: False
    )
    monkeypatch.setattr(held_back, "settings", lambda: found)
    monkeypatch.setattr(held_back.client, "admin", lambda: None)
    return found


def test_one_that_stays_open_is_given_up_and_told_until_it_ends(own: Any) -> None:
    clock = Clock()
    held = HeldBack(clock)
    assert held.saw({ORDERS: Open(5, 9)}, {}) == {ORDERS}
    assert held.notices() == []
    clock.now = 30
    assert held.saw({ORDERS: Open(5, 12), PAYMENTS: Open(1, 2)}, {}) == {ORDERS, PAYMENTS}
    (said,) = held.notices()
    assert said.startswith("orders-0: 7 offsets wait behind a transaction that is open since 30 s")
    assert problems(own) == []
    clock.now = 61
    assert held.saw({ORDERS: Open(5, 20), PAYMENTS: Open(1, 2)}, {}) == {PAYMENTS}
    (told,) = problems(own)
    assert (told.id, told.count, told.rows) == ("log.open-transaction/orders-0", 15, ("orders-0 at 5",))
    clock.now = 62
    assert held.saw({PAYMENTS: Open(1, 2)}, {}) == {PAYMENTS}
    assert problems(own) == []


def test_many_short_ones_are_no_long_one(own: Any) -> None:
    clock = Clock()
    held = HeldBack(clock)
    for second in range(0, 200, 20):
        clock.now = second
        assert held.saw({ORDERS: Open(second, second + 5)}, {}) == {ORDERS}
    assert problems(own) == []


def test_what_waited_is_waited_for_until_a_micro_batch_reads_it(own: Any) -> None:
    """It ended between the plan of the second micro-batch and the question: its records are in the third."""
    held = HeldBack(Clock())
    assert held.saw({ORDERS: Open(5, 9)}, {ORDERS: 5, PAYMENTS: 7}) == {ORDERS}
    assert held.saw({}, {ORDERS: 5, PAYMENTS: 8}) == {ORDERS}
    assert held.saw({}, {ORDERS: 8, PAYMENTS: 8}) == {ORDERS}, "a part of them"
    assert held.saw({}, {ORDERS: 10, PAYMENTS: 8}) == set()
    assert held.saw({}, {ORDERS: 10, PAYMENTS: 9}) == set()
