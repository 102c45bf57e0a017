"""Pauses grow, and a receiver's own wish counts."""

import pytest

from streaming.notify.outcome import FIRST_PAUSE, LONGEST_ASKED, LONGEST_PAUSE, pause


@pytest.mark.parametrize("tries", range(1, 60))
def test_a_pause_is_twice_the_last_one_up_to_the_longest(tries: int) -> None:
    whole = min(FIRST_PAUSE * 2 ** (tries - 1), LONGEST_PAUSE)
    assert 0.8 * whole <= pause(tries) <= whole


def test_many_that_wait_for_one_do_not_come_at_once() -> None:
    assert len({pause(5) for _ in range(20)}) > 10


@pytest.mark.parametrize(("after", "found"), [(30.0, 30.0), (1e9, LONGEST_ASKED), (float("inf"), LONGEST_ASKED)])
def test_what_a_receiver_asks_for_is_kept_within_reason(after: float, found: float) -> None:
    assert pause(1, after) == found


def test_a_receiver_cannot_ask_for_more_haste() -> None:
    assert pause(9, 0.0) > 100
