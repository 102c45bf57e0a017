"""What the lab of the queue finds where all brokers keep their promises."""

from dataclasses import replace

from infra.lab.processes.ledger import Facts, Processed, Took
from infra.lab.queue.job import Way
from infra.lab.queue.measure import Measured, loads
from infra.lab.queue.situations import COPIED, REPEATED, SHARED, Outcome, Situation
from infra.lab.queue.throughput import Speed

ATTEMPTS = 3
Worked = list[tuple[int, int]]
"""(consumer, message), in the order in which they were processed."""


def facts(worked: Worked, taken: Worked | None = None) -> Facts:
    return Facts(
        processed=[Processed(consumer, number, 0) for consumer, number in worked],
        taken=[Took(*one) for one in taken or []],
    )


def _all(last: int, consumer: int) -> Worked:
    return [(consumer, number) for number in range(1, last + 1)]


def _story(way: Way) -> Outcome:
    if way is Way.PARTITION:
        taken = [(2, 1), (2, 2), (2, 3), (1, 3), (1, 4), (1, 5)]
        return Outcome(way, Situation.STORY, facts([(2, 1), (2, 2), (1, 3), (1, 4), (1, 5)], taken), 1, 0, 3)
    taken = [(2, 1), (1, 2), (2, 3), (1, 4), (1, 3), (1, 5)]
    return Outcome(way, Situation.STORY, facts([(2, 1), (1, 2), (1, 4), (1, 3), (1, 5)], taken), 1, 0, 4)


def _sound(way: Way) -> list[Outcome]:
    a_partition = way is Way.PARTITION
    others = [1, 2] if a_partition else [1, 2, 4, 5]
    again = [5] if a_partition else [1, 3, 5]
    later = [] if way is Way.QUEUE else _all(COPIED, 2)
    own = [] if way is Way.SHARE else [(1, 2), (2, 1), (1, 4), (3, 3), (3, 5)]
    return [
        Outcome(way, Situation.BALANCE, facts([(1 + number % 2, number) for number in range(1, SHARED + 1)])),
        Outcome(way, Situation.FAN_OUT, facts([*_all(COPIED, 1), *_all(COPIED, 2)])),
        Outcome(way, Situation.EXPLICIT, facts([*_all(5, 2), *((1, number) for number in (*again, 6))]), 1),
        _story(way),
        Outcome(way, Situation.OWN, facts(own), 1),
        Outcome(way, Situation.REPEATED, facts([*_all(REPEATED, 1), (1, 5), (1, 15), (1, 25)]), 3),
        Outcome(
            way,
            Situation.POISON,
            facts([(1, number) for number in others]),
            ATTEMPTS + 2 * a_partition,
            int(way is Way.QUEUE),
        ),
        Outcome(way, Situation.LATER, facts([*_all(COPIED, 1), *later, (2, COPIED + 1)])),
    ]


SOUND = Measured(
    [one for way in Way for one in _sound(way)],
    [Speed(load, 2_000.4, 1_000.6 + place) for place, load in enumerate(loads(1_000))],
    ATTEMPTS,
)


def other(way: Way, situation: Situation, worked: Worked | None = None, **what: int) -> Measured:
    """The same with another outcome of one situation."""
    changes = {**what, **({} if worked is None else {"facts": facts(worked)})}
    outcomes = [
        replace(one, **changes) if (one.way, one.situation) == (way, situation) else one for one in SOUND.outcomes
    ]
    return replace(SOUND, outcomes=outcomes)
