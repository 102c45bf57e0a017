"""What the brokers promise: a sentence for each promise that was not kept.

Data flow: Measured -> sentences, none on sound brokers
Run: daybreak lab queue
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

from infra.lab.queue.counted import again, doubled_and_lost, found_later, from_death_on
from infra.lab.queue.job import Way
from infra.lab.queue.measure import Measured
from infra.lab.queue.situations import COPIED, SHARED, Outcome, Situation

QUEUE, SHARE, PARTITION = Way
ALL = tuple(Way)


class Promise(NamedTuple):
    """Some ways promise something of a situation; `kept` is told after how many deliveries a message is to be given up."""

    ways: Collection[Way]
    says: str
    situation: Situation
    kept: Callable[[Outcome, int], bool]


def _each_once(one: Outcome, _: int) -> bool:
    return sorted(each.number for each in one.facts.processed) == list(range(1, SHARED + 1))


def _each_to_all(one: Outcome, _: int) -> bool:
    return all(sorted(one.by(consumer)) == list(range(1, COPIED + 1)) for consumer in (1, 2))


def _given_up(one: Outcome, attempts: int) -> bool:
    return (one.deaths, sorted(one.by(1))) == (attempts, [1, 2, 4, 5])


PROMISES = (
    Promise(ALL, "consumers that share get each message once", Situation.BALANCE, _each_once),
    Promise(ALL, "each subscriber gets all", Situation.FAN_OUT, _each_to_all),
    Promise(
        (QUEUE, SHARE),
        "what was not acknowledged comes again, and nothing else",
        Situation.EXPLICIT,
        lambda one, _: again(one) == [1, 3, 5],
    ),
    Promise(
        (PARTITION,),
        "what is behind the committed offset comes again, and nothing else",
        Situation.EXPLICIT,
        lambda one, _: again(one) == [5],
    ),
    Promise(
        ALL,
        "what a dead consumer had goes to another one",
        Situation.STORY,
        lambda one, _: sorted(from_death_on(one)) == [3, 4, 5],
    ),
    Promise((PARTITION,), "its order is kept", Situation.STORY, lambda one, _: from_death_on(one) == [3, 4, 5]),
    Promise(
        (QUEUE, PARTITION), "who has it for himself gets it in order", Situation.OWN, lambda one, _: one.by(3) == [3, 5]
    ),
    Promise(ALL, "nothing is lost", Situation.REPEATED, lambda one, _: doubled_and_lost(one)[1] == 0),
    Promise((QUEUE, SHARE), "a message is given up after its deliveries, and no other", Situation.POISON, _given_up),
    Promise((QUEUE,), "what is given up is a dead letter", Situation.POISON, lambda one, _: one.dead_letters == 1),
    Promise((QUEUE,), "what is acknowledged is gone", Situation.LATER, lambda one, _: found_later(one) == 0),
    Promise(
        (SHARE, PARTITION),
        "a new group finds the whole log",
        Situation.LATER,
        lambda one, _: found_later(one) == COPIED,
    ),
)


def broken(found: Measured) -> list[str]:
    """A sentence for each promise that was not kept."""
    return [
        f"{way}: {promise.says}"
        for promise in PROMISES
        for way in promise.ways
        if not promise.kept(found.of(way, promise.situation), found.attempts)
    ]
