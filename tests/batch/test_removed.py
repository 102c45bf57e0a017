"""A hole is explained by what the log shows of a transaction; whatever else has no record is lost."""

from collections.abc import Sequence

import pytest

from batch.conservation.offset_range import Range
from batch.conservation.removed import unexplained
from infra.kafka.batches import Batch
from infra.kafka.places import At

ORDERS = ("orders", 0)
LOG = [
    Batch(0, 3, 3, False, False),
    Batch(3, 5, 2, True, False),
    Batch(5, 6, 1, True, True),
    # 6 and 7 were removed, and 9 out of its batch.
    Batch(8, 11, 2, False, False),
    Batch(11, 13, 1, True, False),
    Batch(13, 14, 1, True, True),
]


@pytest.mark.parametrize(
    ("holes", "lost"),
    [
        ([], []),
        ([(5, 6)], []),
        ([(3, 6)], []),
        ([(13, 14)], []),
        ([(1, 2)], [(1, 2)]),
        ([(5, 8)], [(6, 8)]),
        ([(6, 7)], [(6, 7)]),
        ([(9, 10)], [(9, 10)]),
        ([(11, 14)], [(11, 13)]),
        ([(2, 9)], [(2, 3), (6, 9)]),
        ([(13, 20)], [(14, 20)]),
    ],
)
@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_only_what_a_transaction_left_is_explained(holes: list[Range], lost: list[Range], at_once: int) -> None:
    def read(at: At, offset: int) -> Sequence[Batch]:
        assert at == ORDERS
        return [batch for batch in LOG if batch.end > offset][:at_once]

    assert unexplained(ORDERS, holes, read) == lost


def test_markers_close_together_are_read_at_once() -> None:
    asked = []

    def read(at: At, offset: int) -> Sequence[Batch]:
        asked.append(offset)
        return [Batch(n, n + 1, 1, True, True) for n in range(offset, offset + 50)]

    assert unexplained(ORDERS, [(n, n + 1) for n in range(0, 100, 2)], read) == []
    assert asked == [0, 50]
