"""A webhook's queue in the producer: it has a limit, or it does not."""

import pytest

from infra.lab.transports.transport import Full, Wire
from infra.lab.transports.webhook import WebhookSender


def sender(high_water: int | None, taken: list[int]) -> WebhookSender:
    """Nobody listens there, so what is sent waits for its next try."""
    wire = Wire("127.9.8.5", "239.255.8.5", 17_500, 1, 1, "", {}, high_water)
    return WebhookSender(wire, taken.append, retried=True)


def test_a_full_queue_refuses_and_says_so() -> None:
    taken: list[int] = []
    full = sender(3, taken)

    def send_all() -> None:
        for number in range(10):
            full.send(number, b"order")

    with pytest.raises(Full):
        send_all()
    # One more may be on its way, and waits in no queue.
    assert taken in ([0, 1, 2], [0, 1, 2, 3])


def test_a_queue_without_a_limit_takes_all() -> None:
    taken: list[int] = []
    endless = sender(None, taken)
    for number in range(2_000):
        endless.send(number, b"order")
    assert len(taken) == 2_000
