"""What a ledger says: lost, doubled, out of order and delays, counted from known lines."""

import pytest

from infra.lab.counts import Counts
from infra.lab.direct.figures import figures, percentile, still_due
from infra.lab.processes.ledger import Facts, Processed


def facts(sent: int, *processed: tuple[int, int]) -> Facts:
    """`sent` orders, and (consumer, number) in the order in which they were processed, 1 ms after they were due."""
    return Facts(list(range(sent)), [], [Processed(consumer, number, 1_000_000) for consumer, number in processed])


BOTH = [(consumer, number) for number in range(3) for consumer in (1, 2)]


def test_each_consumer_is_due_every_order() -> None:
    found = figures(facts(3, *BOTH), shared=False)
    assert found.counts == Counts(sent=6, lost=0, doubled=0)
    assert (found.sent, found.due, found.out_of_order) == (3, 6, 0)


def test_what_one_consumer_lacks_is_lost_although_the_other_has_it() -> None:
    assert figures(facts(3, *BOTH[:-1]), shared=False).counts == Counts(sent=6, lost=1, doubled=0)
    assert still_due(facts(3, *BOTH[:-1]), shared=False) == 1


def test_consumers_that_share_are_due_each_order_once() -> None:
    assert figures(facts(3, (1, 0), (2, 1), (1, 2)), shared=True).counts == Counts(sent=3, lost=0, doubled=0)
    assert figures(facts(3, (1, 0), (2, 0), (1, 2)), shared=True).counts == Counts(sent=3, lost=1, doubled=1)


def test_order_is_each_consumers_own_unless_the_work_is_shared() -> None:
    crossed = facts(2, (1, 0), (1, 1), (2, 0), (2, 1))
    assert figures(crossed, shared=False).out_of_order == 0
    overtaken = facts(2, (1, 1), (2, 0))
    assert figures(overtaken, shared=True).out_of_order == 1


def test_a_repetition_is_doubled_and_not_out_of_order() -> None:
    found = figures(facts(2, (1, 0), (1, 1), (1, 0), (2, 1), (2, 0)), shared=False)
    assert (found.counts.doubled, found.out_of_order) == (1, 1)


def test_an_order_that_was_sent_again_is_one_order() -> None:
    again = Facts([0, 1, 1], [], [Processed(1, 0, 1), Processed(1, 1, 1)])
    assert figures(again, shared=True).counts == Counts(sent=2, lost=0, doubled=0)


def test_an_order_that_nobody_sent_is_an_error() -> None:
    with pytest.raises(ValueError, match="1 records were found that nobody sent"):
        figures(facts(1, (1, 0), (2, 7)), shared=False)


def test_a_delay_counts_once_and_only_of_first_deliveries() -> None:
    late = Facts([0], [], [Processed(1, 0, 2_000_000), Processed(1, 0, 9_000_000_000)])
    assert (figures(late, shared=True).p50_ms, figures(late, shared=True).p99_ms) == (2.0, 2.0)


@pytest.mark.parametrize(("share", "expected"), [(0.5, 50), (0.99, 99), (0.991, 100), (1.0, 100), (0.001, 1)])
def test_a_percentile_is_the_least_delay_that_suffices(share: float, expected: float) -> None:
    assert percentile([float(number) for number in range(100, 0, -1)], share) == expected
    assert percentile([], share) is None
