"""One situation in one way: its consumers, what is sent to them, and the ledger of what they did.

Data flow: messages -> a queue or a topic -> processes -> ledger -> Facts
Run: daybreak lab queue
"""

import time
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from confluent_kafka import ConsumerGroupState, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from infra.failures import TransientFailure
from infra.lab.processes.ledger import Facts, Reader
from infra.lab.processes.process import Process
from infra.lab.processes.together import Together
from infra.lab.queue.job import Job, Role, Way
from infra.lab.queue.stage import Stage
from infra.queue.connection import FAN_OUT, QUEUE, Connection
from infra.queue.management import Management

SECONDS = 60
"""Longest wait for a step; the longest one that is meant takes a session's timeout, six seconds."""
LOOK_SECONDS = 0.05
QUIET_SECONDS = 2.0
SHARE_SECONDS = 8.0
"""A share group says of no record whether it still comes; what a dead member had comes at the latest when its session is over."""


class Scene:
    """A context manager around the lab's own end of a situation; its processes end with their family."""

    def __init__(self, stage: Stage, together: Together) -> None:
        self.way, self.stage = stage.way, stage
        self._together = together
        self._stack = ExitStack()
        self._lives: dict[int, Process] = {}
        self.taken_before_death = 0
        self._queue: Connection | None = None
        self._topic: Any = None

    def __enter__(self) -> "Scene":
        with ExitStack() as stack:
            self._reader = stack.enter_context(Reader(self.stage.ledger))
            if self.way is Way.QUEUE:
                self._queue = stack.enter_context(Connection(self.stage.access.broker))
            else:
                # A share group hands out whole batches: with one record in each it can share them all.
                own = {"enable.idempotence": "true", "acks": "all", "linger.ms": 0, "batch.num.messages": 1}
                self._topic = Producer(self.stage.access.options | own)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._lives.values():
            process.end()
        self._stack.close()

    @property
    def facts(self) -> Facts:
        """What the ledger says until now."""
        self._reader.read()
        return self._reader.facts

    def source(self, own: int) -> str:
        """The `own`-th queue of the situation; of a topic it is a partition instead."""
        return f"{self.stage.source}-{own}" if self.way is Way.QUEUE and own else self.stage.source

    def send(self, *numbers: int, own: int = 0, fan_out: bool = False) -> None:
        """Send messages, and wait until the broker has them. Raises TransientFailure if it does not take them."""
        if self._queue:
            for number in numbers:
                self._queue.send(self.source(own), b"%d" % number, headers=FAN_OUT if fan_out else QUEUE)
            self._queue.flush()
            return
        failed: list[object] = []
        for number in numbers:
            self._topic.produce(
                self.stage.source,
                b"%d" % number,
                partition=own,
                on_delivery=lambda error, _: failed.append(error) if error else None,
            )
        if self._topic.flush(SECONDS) or failed:
            raise TransientFailure(f"Kafka did not take the lab's messages: {failed[:1] or 'no answer'}")

    def start(self, consumer: int, *, own: int = 0, group: int = 1, **what: Any) -> None:
        """Start a life of a consumer; it is there when this returns. `what`: see Job."""
        process = self._lives[consumer] = self.stage.spare.take()
        process.begin(
            Job(
                self.way,
                Role.CONSUMER,
                self.stage.access,
                self.source(own),
                f"{self.stage.source}-{group}",
                str(self.stage.ledger),
                consumer,
                **{"partition": own} | what,
            )
        )

    def go(self, consumer: int) -> None:
        """It works on the message that it has taken."""
        self._lives[consumer].tell("go")

    def run(self, *consumers: int) -> None:
        """They halt no more."""
        for consumer in consumers:
            self._lives[consumer].tell("run")

    def kill(self, consumer: int) -> None:
        """It is killed with SIGKILL."""
        self.taken_before_death = len(self.facts.taken)
        self._lives.pop(consumer).kill()

    def dies(self, consumer: int) -> None:
        """Wait for the death that it was told to die."""
        self._lives.pop(consumer).dies()

    def leaves(self, consumer: int) -> None:
        """It ends in an orderly way."""
        self._lives.pop(consumer).leave()

    def lives(self, consumer: int) -> bool:
        """Is it alive? Raises TransientFailure if it has ended, and not by the death that it was told to die."""
        if not self._lives[consumer].is_over:
            return True
        self._lives[consumer].dies()
        return False

    def has_taken(self, consumer: int, number: int) -> None:
        """Wait until it has taken a message."""
        self.until(f"consumer {consumer} takes m{number}", lambda: (consumer, number) in self.facts.taken)

    def have_processed(self, *numbers: int) -> None:
        """Wait until each of them was processed by somebody."""
        wanted = set(numbers)
        self.until(f"{len(wanted)} are processed", lambda: wanted <= {one.number for one in self.facts.processed})

    def members(self, count: int, group: int = 1) -> None:
        """Wait until so many are members of a consumer group, and its partitions are shared out."""
        name, admin = f"{self.stage.source}-{group}", AdminClient(self.stage.access.options)

        def settled() -> bool:
            try:
                found = admin.describe_consumer_groups([name])[name].result(timeout=SECONDS)
            except KafkaException:
                return False
            return found.state is ConsumerGroupState.STABLE and len(found.members) == count

        self.until(f"the group has {count} members", settled)

    def subscribed(self, count: int, own: int = 0) -> None:
        """Wait until so many consumers have the queue, or the `own`-th one."""
        self._says(f"{count} have subscribed", lambda broker: broker.consumers(self.source(own)) == count)

    def heard(self, own: int = 0) -> None:
        """Wait until the queue's broker knows that its last consumer is dead: till then it keeps what was not acknowledged."""
        if self.way is Way.QUEUE:
            self.subscribed(0, own)

    def quiet(self, *, dying: int = 0) -> None:
        """Wait until nothing has come for a while, or the `dying` consumer is dead. A queue tells that nothing is to come."""
        if self.way is Way.QUEUE and not dying:
            # A busy broker brings what a dead consumer had long after the others.
            self._says("the queue is empty", lambda broker: broker.waiting(self.stage.source) == 0)
        enough = SHARE_SECONDS if self.way is Way.SHARE else QUIET_SECONDS
        last, since = -1, time.monotonic()

        def nothing_comes() -> bool:
            nonlocal last, since
            if (now := len(self.facts.taken)) != last:
                last, since = now, time.monotonic()
            return time.monotonic() - since > enough or (dying > 0 and not self.lives(dying))

        self.until("nothing comes any more", nothing_comes, dying=dying)

    def _says(self, what: str, found: Callable[[Management], object]) -> None:
        """Wait until the queue's broker says so."""
        with Connection(self.stage.access.broker) as connection:
            management = Management(connection)
            self.until(what, lambda: found(management))

    def pause(self, seconds: float) -> None:
        """Let time pass, as work takes it."""
        self._together.wait(seconds)

    def until(self, what: str, found: Callable[[], object], *, dying: int = 0) -> None:
        """Wait until `found` is true. Raises TransientFailure after SECONDS, or if another consumer than the `dying` one ends."""
        give_up = time.monotonic() + SECONDS
        while not found():
            for consumer, process in self._lives.items():
                if consumer != dying:
                    process.check()
            if time.monotonic() > give_up:
                raise TransientFailure(f"the lab ({self.way}) waited {SECONDS} s in vain until {what}")
            self._together.wait(LOOK_SECONDS)
