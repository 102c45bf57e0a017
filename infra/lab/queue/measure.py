"""The lab of the queue: every situation in every way, and how fast each way is while messages wait.

Data flow: queues and topics of the lab's own -> Outcomes, Speeds
Run: daybreak lab queue

The situations are played side by side, since they mostly wait for sessions to end; meanwhile the queues and topics fill whose
messages are to wait. Each speed is measured alone.
"""

import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.kafka import client
from infra.lab.processes.process import Family
from infra.lab.processes.together import Together, side_by_side
from infra.lab.queue import own, throughput
from infra.lab.queue.job import Access, Way
from infra.lab.queue.scene import Scene
from infra.lab.queue.situations import Outcome, Situation, happen
from infra.lab.queue.stage import Spare, Stage
from infra.lab.queue.throughput import Load, Speed
from infra.lab.topics import topics
from infra.queue.broker import broker
from infra.settings import Settings

Places = dict[tuple[Way, str], str]
"""By way and by what is to happen there: the name of a queue or of a topic."""
LEAST, MOST = 2, 10
"""Deliveries after which a share group may give a record up, as brokers allow it."""


@dataclass(frozen=True)
class Measured:
    """All that was found. `attempts`: deliveries after which queue and share group are to give a message up."""

    outcomes: list[Outcome]
    speeds: list[Speed]
    attempts: int

    def of(self, way: Way, situation: Situation) -> Outcome:
        """One situation in one way."""
        return next(one for one in self.outcomes if (one.way, one.situation) == (way, situation))


def loads(waiting: int) -> list[Load]:
    """None, a tenth and all of them wait; and for a queue whose messages are not durable, none."""
    levels = [0, waiting // 10, waiting]
    return [Load(Way.QUEUE, 0, durable=False), *(Load(way, level) for level in levels for way in Way)]


def measure(s: Settings, waiting: int, seconds: float) -> Measured:
    """Run all. Raises TransientFailure if a broker or a process fails, or if a step does not come to its end."""
    attempts = min(max(s.queue_attempts, LEAST), MOST)
    access = Access(broker(s), client.options())
    wanted = loads(waiting)
    with _places(s, [one.name.lower() for one in Situation], wanted) as places, ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="queue-", dir=s.home / "lab")))
        groups = [f"{place}-{group}" for (way, _), place in places.items() if way is Way.SHARE for group in (1, 2)]
        stack.enter_context(own.share_groups(groups, attempts))
        lives = sum(situation.lives(attempts) for situation in Situation) + 2 * len(wanted)
        module = "infra.lab.queue.worker"
        spare = {way: Spare(stack.enter_context(Family(way, lives, module))) for way in Way}

        def play(one: tuple[Way, Situation], together: Together) -> Outcome:
            way, situation = one
            place, ledger = places[way, situation.name.lower()], folder / f"{way.name}-{situation.name}"
            with Scene(Stage(way, place, access, spare[way], ledger, attempts), together) as scene:
                return happen(situation, scene)

        with _filling(wanted, places, access) as filled:
            outcomes = side_by_side([(way, situation) for way in Way for situation in Situation], play)
            for one in filled:
                one.result()
        speeds = [throughput.speed(one, places[one.way, _name(one)], access, spare[one.way], seconds) for one in wanted]
    return Measured(outcomes, speeds, attempts)


def _name(load: Load) -> str:
    return f"{'' if load.durable else 'fast-'}waiting-{load.waiting}"


@contextmanager
def _filling(wanted: list[Load], places: Places, access: Access) -> Iterator[list[Future[None]]]:
    """The brokers take the messages that are to wait; who leaves early stops it."""
    stopped = threading.Event()
    with ThreadPoolExecutor(len(wanted)) as pool:
        try:
            yield [
                pool.submit(throughput.fill, one, places[one.way, _name(one)], access, stopped)
                for one in wanted
                if one.waiting
            ]
        finally:
            stopped.set()


@contextmanager
def _places(s: Settings, situations: list[str], wanted: list[Load]) -> Iterator[Places]:
    """A queue or a topic for each situation and load in each way; gone at the end."""
    (s.home / "lab").mkdir(parents=True, exist_ok=True)
    names = {way: [*situations, *(_name(one) for one in wanted if one.way is way)] for way in Way}
    kafka = [(way, name) for way in (Way.SHARE, Way.PARTITION) for name in names[way]]
    # Two partitions where each consumer has one of its own.
    pairs = [one for one in kafka if one[1] == Situation.OWN.name.lower()]
    single = [one for one in kafka if one not in pairs]
    with (
        own.queues(broker(s)) as prefix,
        topics("queue", [f"{way.name.lower()}-{name}" for way, name in single], 1, s.kafka_replication) as ones,
        topics("queue", [f"{way.name.lower()}-{name}" for way, name in pairs], 2, s.kafka_replication) as twos,
    ):
        found = {(Way.QUEUE, name): f"{prefix}{name}" for name in names[Way.QUEUE]}
        yield found | dict(zip(single, ones, strict=True)) | dict(zip(pairs, twos, strict=True))
