"""One run: a producer and its consumers over one transport, on addresses and with a ledger of their own.

Data flow: Transport, Load -> processes -> ledger -> Figures
Run: daybreak lab direct
"""

import random
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from infra.failures import TransientFailure
from infra.lab.direct import figures
from infra.lab.direct.figures import CONSUMERS, Figures
from infra.lab.processes.job import Death, Job, Role
from infra.lab.processes.ledger import Reader
from infra.lab.processes.process import Family, Process
from infra.lab.processes.together import Together
from infra.lab.transports.transport import Transport, Wire

PORT = 17_400
"""Below the ports that a system gives to whoever asks for any."""
QUIET_SECONDS = 1.0
"""What has not been processed so long after the last order that was, and after the producer has ended, is lost."""
KEPT_SECONDS = 20
"""The same for a log: what it holds is there for as long as a consumer needs."""
LONGEST_SECONDS = 60
LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class Load:
    """The orders' file, how many are sent per second, how many messages a producer keeps to repeat them, the way to Kafka."""

    orders_file: Path
    rate: float
    history: int
    options: dict[str, str | int | float | bool]


class Run:
    """A context manager around the processes of one run; leaving it ends them all.

    So many `processes` are started at once, with all that will take over. So a successor has loaded its libraries when it
    is needed, and a death costs what the transport makes it cost.
    """

    def __init__(
        self, transport: Transport, load: Load, ledger: Path, topic: str, together: Together, processes: int
    ) -> None:
        self.transport = transport
        self._load, self._ledger, self._together = load, ledger, together
        # An address of its own on loopback: no port of yours is touched, and two labs may run at once.
        a, b, c = (random.SystemRandom().randint(1, 254) for _ in range(3))
        self._wire = Wire(
            f"127.{a}.{b}.{c}", f"239.255.{b}.{c}", PORT, len(CONSUMERS), load.history, topic, load.options
        )
        self._stack = ExitStack()
        self._count = processes
        self._end = 0
        self._spare: list[Process] = []
        self._consumers: dict[int, Process] = {}
        self._producer: Process | None = None
        self._began = 0.0

    def __enter__(self) -> "Run":
        with ExitStack() as stack:
            self._reader = stack.enter_context(Reader(self._ledger))
            self._spare = list(stack.enter_context(Family(self.transport, self._count)))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def begin(self, end: int, death: Death | None = None) -> None:
        """Send the orders before `end`, when all runs beside are ready to; consumer 2 may have a `death` before it."""
        self._end = end
        # Both at once: some take a moment until they can be reached.
        for consumer in CONSUMERS:
            self._give(consumer, death if consumer == 2 else None)
        for consumer in CONSUMERS:
            self._consumers[consumer].says("ready")
        producer = self._next_producer(0)
        self._together.begin()
        producer.tell("go")
        self._began = time.monotonic()

    def at(self, seconds: float) -> None:
        """Wait for a moment of the run."""
        self._together.wait(max(self._began + seconds - time.monotonic(), 0))

    def join(self, consumer: int, death: Death | None = None) -> None:
        """A consumer comes back, and can be reached: it knows what its ledger has."""
        self._give(consumer, death)
        self._consumers[consumer].says("ready")

    def leave(self, consumer: int) -> None:
        """A consumer goes in an orderly way."""
        self._consumers.pop(consumer).leave()

    def dies(self, consumer: int) -> None:
        """Wait for the death that a consumer was given."""
        self._consumers.pop(consumer).dies()

    def producer_dies(self) -> None:
        """The producer is killed; its successor goes on behind the last order that the ledger has as sent."""
        assert self._producer
        self._producer.kill()
        self._reader.read()
        self._next_producer(max(self._reader.facts.sent, default=-1) + 1).tell("go")

    def figures(self) -> Figures:
        """Wait until all is processed, or nothing comes any more, and count. Raises TransientFailure if it does not end."""
        shared, facts = self.transport.shared, self._reader.facts
        give_up = quiet = time.monotonic() + LONGEST_SECONDS
        while not (facts.ended and not figures.still_due(facts, shared)) and time.monotonic() < quiet:
            for process in (self._producer, *self._consumers.values()):
                assert process
                process.check()
            if time.monotonic() > give_up:
                raise TransientFailure(f"the lab's run over {self.transport} did not end in {LONGEST_SECONDS} s")
            if self._reader.read() or not facts.ended:
                quiet = time.monotonic() + (KEPT_SECONDS if self.transport is Transport.KAFKA else QUIET_SECONDS)
            self._together.wait(LOOK_SECONDS)
        return figures.figures(facts, shared)

    def _give(self, consumer: int, death: Death | None) -> None:
        self._reader.read()
        last = max((one.number for one in self._reader.facts.processed if one.consumer == consumer), default=-1)
        process = self._spare.pop()
        self._consumers[consumer] = process
        job = Job(Role.CONSUMER, self._wire, str(self._ledger), last + 1, consumer=consumer, death=death)
        process.tell(job.text())

    def _next_producer(self, first: int) -> Process:
        self._producer = self._spare.pop()
        job = Job(
            Role.PRODUCER,
            self._wire,
            str(self._ledger),
            first,
            orders_file=str(self._load.orders_file),
            end=self._end,
            rate=self._load.rate,
            consumers=len(self._consumers),
        )
        self._producer.begin(job)
        return self._producer
