"""The rate of a sender: a burst of a second's, then as many as come back; others are not held up."""

import pytest

from streaming.webhooks.rate import Rates
from streaming.webhooks.refused import Refused
from streaming.webhooks.senders import Sender


def sender(name: str, per_second: float) -> Sender:
    return Sender(name, ("orders",), per_second, ())


def taken(rates: Rates, one: Sender, times: int) -> int:
    done = 0
    for _ in range(times):
        try:
            rates.take(one)
        except Refused:
            continue
        done += 1
    return done


def test_a_burst_of_a_second_and_then_the_rate() -> None:
    now = 0.0
    rates, one = Rates(lambda: now), sender("one", 10)
    assert taken(rates, one, 50) == 10
    now = 0.55
    assert taken(rates, one, 50) == 5
    now = 100.0
    assert taken(rates, one, 50) == 10
    assert taken(rates, sender("other", 3), 50) == 3


@pytest.mark.parametrize(("per_second", "seconds"), [(10, "1"), (0.1, "10")])
def test_it_says_when_to_come_back_and_that_is_true(per_second: float, seconds: str) -> None:
    now = 0.0
    rates, one = Rates(lambda: now), sender("one", per_second)
    taken(rates, one, 50)
    with pytest.raises(Refused, match="--per-second") as refused:
        rates.take(one)
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": seconds})
    now = float(seconds)
    rates.take(one)
