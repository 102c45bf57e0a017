"""Repetition on request: what a history still has, and what a consumer gives on, asks for and gives up."""

import random

import pytest

from infra.lab.transports.retransmission import Gaps, Held, History


def text(number: int) -> bytes:
    return b"%d" % number


def test_a_history_keeps_the_newest_and_says_which() -> None:
    history = History(3, first=10)
    assert history.held == Held(10, 10)
    for number in range(10, 15):
        history.put(number, text(number))
    assert history.held == Held(12, 15)
    assert history.asked(0, 14) == [(12, b"12"), (13, b"13")]
    assert history.asked(14, 99) == [(14, b"14")]
    assert history.asked(0, 12) == []


def test_a_history_has_no_holes() -> None:
    history = History(3, first=0)
    history.put(0, b"")
    with pytest.raises(ValueError, match="number 2 cannot follow 0"):
        history.put(2, b"")


def test_what_comes_behind_a_gap_waits_for_it() -> None:
    gaps = Gaps(0)
    assert gaps.came(0, b"0") == [b"0"]
    assert gaps.came(2, b"2") == gaps.came(4, b"4") == []
    assert gaps.missing(10) == (1, 2)
    assert gaps.came(1, b"1") == [b"1", b"2"]
    assert gaps.missing(10) == (3, 4)
    assert gaps.came(3, b"3") == [b"3", b"4"]
    assert gaps.missing(10) is None


def test_a_repetition_is_given_on_once() -> None:
    gaps = Gaps(0)
    assert gaps.came(0, b"0") == [b"0"]
    assert gaps.came(0, b"0") == []


def test_the_loss_of_the_last_messages_is_heard_of() -> None:
    gaps = Gaps(0)
    gaps.came(0, b"0")
    assert gaps.missing(10) is None
    assert gaps.heard(Held(0, 3)) == []
    assert gaps.missing(10) == (1, 3)
    assert gaps.missing(1) == (1, 2)


def test_what_the_history_lacks_is_given_up_and_counted() -> None:
    gaps = Gaps(5)
    gaps.came(8, b"8")
    assert gaps.heard(Held(9, 11)) == [b"8"]
    assert gaps.gone == 3
    assert gaps.missing(10) == (9, 11)


def test_a_new_producer_without_a_history_stops_no_consumer() -> None:
    gaps = Gaps(0)
    gaps.came(0, b"0")
    gaps.came(7, b"7")
    assert gaps.heard(Held(7, 8)) == [b"7"]
    assert gaps.gone == 6


@pytest.mark.parametrize("seed", range(20))
def test_all_comes_in_order_over_a_channel_that_loses_and_mixes(seed: int) -> None:
    chance = random.Random(seed)
    history, gaps, given = History(1000, first=0), Gaps(0), []
    for number in range(200):
        history.put(number, text(number))
        if chance.random() < 0.5:
            given += gaps.came(number, text(number))
    for _ in range(500):
        given += gaps.heard(history.held)
        if (missing := gaps.missing(16)) is None:
            break
        again = [one for one in history.asked(*missing) if chance.random() < 0.5]
        chance.shuffle(again)
        for number, message in again:
            given += gaps.came(number, message)
    assert given == [text(number) for number in range(200)]
    assert gaps.gone == 0
