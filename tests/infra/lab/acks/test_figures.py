"""What a producer's acknowledgements and the log say: lost, doubled, out of order, counted from known numbers."""

import pytest

from infra.lab.acks.figures import figures
from infra.lab.acks.producer import Sent


def counted(acknowledged: list[int], log: list[int], count: int = 6) -> tuple[int, int, int]:
    """(lost, doubled, out of order)."""
    found = figures(Sent(count, dict.fromkeys(acknowledged, 1.0)), log, 0)
    return found.lost, found.doubled, found.out_of_order


@pytest.mark.parametrize(
    ("acknowledged", "log", "expected"),
    [
        ([0, 1, 2], [0, 1, 2], (0, 0, 0)),
        ([0, 1, 2], [0, 2], (1, 0, 0)),
        # In the log without an acknowledgement: nobody was promised anything.
        ([0], [0, 1], (0, 0, 0)),
        # Sent, not acknowledged, not there: the sender knows.
        ([0], [0], (0, 0, 0)),
        ([0, 1, 2], [0, 1, 0, 1, 2], (0, 2, 0)),
        ([0, 1], [0, 0, 0, 1], (0, 1, 0)),
        ([0, 1, 2, 3], [2, 0, 1, 3], (0, 0, 2)),
        # A second copy is doubled, wherever it stands; order is that of first copies.
        ([0, 1, 2], [0, 2, 1, 2], (0, 1, 1)),
    ],
)
def test_acknowledgements_are_held_against_the_log(
    acknowledged: list[int], log: list[int], expected: tuple[int, int, int]
) -> None:
    assert counted(acknowledged, log) == expected


def test_waits_are_those_of_acknowledged_orders() -> None:
    found = figures(Sent(4, {0: 1.0, 1: 9.0, 2: 2.0}), [0, 1, 2], 77)
    assert (found.sent, found.acknowledged, found.p50_ms, found.p99_ms, found.bytes) == (4, 3, 2.0, 9.0, 77)
    assert figures(Sent(4), [], 0).p50_ms is None


def test_an_order_that_nobody_sent_is_an_error() -> None:
    with pytest.raises(ValueError, match="order 6 is in the log"):
        counted([0], [0, 6])
