"""What is counted of a run: what was taken and lost, and when it was."""

import pytest
from overload_outcomes import ORDERS, case, watched, well

from infra.lab.overload.brokers import NONE
from infra.lab.overload.measure import outcome
from infra.lab.overload.table import waiting


def test_an_order_that_never_comes_is_lost_from_when_it_was_sent() -> None:
    found = well(case("UDP unicast"))
    assert (found.taken, found.lost, found.losses) == (20, 15, [0, 15, 15])
    assert waiting(found) == [0, 0, 0]


def test_what_waits_in_memory_is_lost_when_its_process_dies() -> None:
    found = well(case("webhook, queue without a limit"))
    assert (found.taken, found.lost, found.losses) == (15, 10, [0, 0, 10])
    assert waiting(found) == [0, 10, 0]


def test_what_was_refused_is_not_taken_and_not_lost() -> None:
    found = well(case("webhook, queue with a limit"))
    assert (found.made - found.taken, found.lost) == (14, 0)


def test_a_consumer_of_a_log_has_a_lag_and_no_loss() -> None:
    found = well(case("Kafka"))
    assert (found.lost, waiting(found)) == (0, [0, 15, 0])


def test_an_order_that_nobody_sent_is_an_error() -> None:
    with pytest.raises(ValueError, match="1 records were found that nobody sent"):
        outcome(case("Kafka"), ORDERS, watched(2, [0, 1, 7]), NONE)
