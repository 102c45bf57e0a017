"""What happens to messages and consumers: eight situations, the same in each way.

Data flow: Situation, Scene -> what is done, step by step -> Outcome
Run: daybreak lab queue
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from infra.lab.processes.ledger import Facts
from infra.lab.queue.job import Way
from infra.lab.queue.scene import Scene
from infra.queue.broker import dead_letters
from infra.queue.connection import Connection
from infra.queue.management import Management

SHARED, COPIED, REPEATED = 300, 100, 30
"""Messages for two consumers that share them, for two that each get all, and for those that die after their work."""
DEATHS = (5, 15, 25)
"""Messages behind which a consumer dies."""
POISON = 3
BEYOND = 2
"""So many deaths more than a queue allows are died at a partition."""
SHORT_WORK_SECONDS = 0.004
"""What a message takes while two share them: else the first to wake up would have done all of it."""
WORK_SECONDS = 1.0
"""What consumer 1 does with m4 takes so long; meanwhile the broker learns that consumer 2 has died."""


class Situation(StrEnum):
    """What happens."""

    BALANCE = "balance"
    FAN_OUT = "fan-out"
    EXPLICIT = "explicit"
    STORY = "story"
    OWN = "own"
    REPEATED = "repeated"
    POISON = "poison"
    LATER = "later"

    def lives(self, attempts: int) -> int:
        """Processes that it takes at most, if a message is given up after so many deliveries."""
        needed = {Situation.REPEATED: len(DEATHS) + 1, Situation.POISON: attempts + BEYOND, Situation.OWN: 3}
        return needed.get(self, 2)


@dataclass(frozen=True)
class Outcome:
    """What became of a situation in one way: what its ledger says, and how many consumers died.

    `taken_before_death`: how many messages had been taken when one was killed from outside.
    """

    way: Way
    situation: Situation
    facts: Facts
    deaths: int = 0
    dead_letters: int = 0
    taken_before_death: int = 0

    def by(self, consumer: int) -> list[int]:
        """The messages that a consumer has processed, in its order."""
        return [one.number for one in self.facts.processed if one.consumer == consumer]


def happen(situation: Situation, scene: Scene) -> Outcome:
    """Play it."""
    deaths = PLAYS[situation](scene)
    lost = _dead_letters(scene) if situation is Situation.POISON and scene.way is Way.QUEUE else 0
    return Outcome(scene.way, situation, scene.facts, deaths, lost, scene.taken_before_death)


def _pair(scene: Scene, work: float = 0.0) -> None:
    """Consumer 2 has taken m1, and then consumer 1 m2; the one partition that there is is consumer 2's, and it has both."""
    scene.start(2, halts=True, partition=None, work=work)
    scene.send(1)
    scene.has_taken(2, 1)
    scene.start(1, halts=True, partition=None, work=work)
    scene.send(2)
    if scene.way is Way.PARTITION:
        scene.members(2)
    else:
        scene.has_taken(1, 2)


def _balance(scene: Scene) -> int:
    _pair(scene, SHORT_WORK_SECONDS)
    scene.send(*range(3, SHARED + 1))
    scene.run(1, 2)
    scene.have_processed(*range(1, SHARED + 1))
    return 0


def _fan_out(scene: Scene) -> int:
    for consumer in (1, 2):
        scene.start(consumer, group=consumer, fan_out=True)
    scene.send(*range(1, COPIED + 1), fan_out=True)
    scene.until("each has all", lambda: len(scene.facts.processed) == 2 * COPIED)
    return 0


def _explicit(scene: Scene) -> int:
    """Consumer 2 takes five messages, and dies when it has acknowledged the second and the fourth; m6 comes after its death."""
    scene.send(*range(1, 6))
    scene.start(2, one=False, acks=(2, 4), dies_behind=(5,))
    scene.dies(2)
    scene.heard()
    scene.send(6)
    scene.start(1)
    scene.until("consumer 1 has processed m6", lambda: any(one[:2] == (1, 6) for one in scene.facts.processed))
    scene.quiet()
    return 1


def _story(scene: Scene) -> int:
    _pair(scene)
    scene.send(3, 4, 5)
    scene.go(2)
    if scene.way is Way.PARTITION:
        scene.has_taken(2, 2)
        scene.go(2)
    scene.has_taken(2, 3)
    if scene.way is not Way.PARTITION:
        scene.go(1)
        scene.has_taken(1, 4)
    scene.kill(2)
    if scene.way is Way.QUEUE:
        scene.subscribed(1)
    if scene.way is not Way.PARTITION:
        scene.pause(WORK_SECONDS)
    scene.run(1)
    scene.have_processed(3, 4, 5)
    return 1


def _own(scene: Scene) -> int:
    """Consumer 2 has the odd messages for itself, consumer 1 the even ones."""
    if scene.way is Way.SHARE:
        return 0
    for number in range(1, 6):
        scene.send(number, own=number % 2)
    scene.start(1, own=0)
    scene.start(2, own=1, halts=True)
    scene.has_taken(2, 1)
    scene.go(2)
    scene.has_taken(2, 3)
    scene.kill(2)
    scene.heard(own=1)
    scene.start(3, own=1)
    scene.have_processed(1, 2, 3, 4, 5)
    return 1


def _repeated(scene: Scene) -> int:
    scene.send(*range(1, REPEATED + 1))
    for number in DEATHS:
        scene.start(1, dies_behind=(number,))
        scene.dies(1)
        scene.heard()
    scene.start(1)
    scene.have_processed(*range(1, REPEATED + 1))
    scene.quiet()
    return len(DEATHS)


def _poison(scene: Scene) -> int:
    """Each consumer dies in m3, and a successor comes, until all others are processed or there have been enough deaths."""
    scene.send(*range(1, 6))
    others, deaths = {1, 2, 4, 5}, 0

    def is_over() -> bool:
        if not scene.lives(1):
            return True
        # A busy queue may bring it again a while after the others; it says itself when it has given it up.
        has_others = others <= {one.number for one in scene.facts.processed}
        return has_others and (scene.way is not Way.QUEUE or _dead_letters(scene) > 0)

    while deaths < scene.stage.attempts + BEYOND:
        scene.start(1, dies_before=(POISON,))
        scene.until("it dies, or all others are processed, and a queue has given it up", is_over, dying=1)
        scene.quiet(dying=1)
        if scene.lives(1):
            return deaths
        deaths += 1
    return deaths


def _later(scene: Scene) -> int:
    """Consumer 2 comes when consumer 1 has processed all; for Kafka it is in a group of its own. Then comes one message more."""
    scene.send(*range(1, COPIED + 1))
    scene.start(1)
    scene.have_processed(*range(1, COPIED + 1))
    scene.leaves(1)
    scene.start(2, group=2)
    scene.send(COPIED + 1)
    scene.have_processed(COPIED + 1)
    scene.quiet()
    return 0


PLAYS: dict[Situation, Callable[[Scene], int]] = {
    Situation.BALANCE: _balance,
    Situation.FAN_OUT: _fan_out,
    Situation.EXPLICIT: _explicit,
    Situation.STORY: _story,
    Situation.OWN: _own,
    Situation.REPEATED: _repeated,
    Situation.POISON: _poison,
    Situation.LATER: _later,
}


def _dead_letters(scene: Scene) -> int:
    with Connection(scene.stage.access.broker) as connection:
        return Management(connection).given_up().get(dead_letters(scene.stage.source), 0)
