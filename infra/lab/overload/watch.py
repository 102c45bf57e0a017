"""A run is watched, from its first order until nothing comes any more.

Data flow: ledger, processes, sockets, files -> Samples
Run: daybreak lab overload
"""

import time
from dataclasses import dataclass

from infra.failures import TransientFailure
from infra.lab.overload.brokers import Broker
from infra.lab.overload.cases import Case
from infra.lab.overload.load import Load
from infra.lab.overload.sizes import in_files, in_sockets, resident
from infra.lab.processes.ledger import Facts, Reader
from infra.lab.processes.process import Process
from infra.lab.processes.together import Together

QUIET_SECONDS = 1.0
"""What has not been processed so long after the last order that was, and after the producer has ended, is lost."""
KEPT_SECONDS = 20
"""The same for a broker: what it holds is there for as long as a consumer needs."""
LONGEST_SECONDS = 120
LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class Sample:
    """A run `seconds` after its beginning: orders sent, refused and processed by then, the delay of the one that was processed
    last, and the bytes of each process, of the sockets' buffers, and on the broker's disk."""

    seconds: float
    sent: int
    refused: int
    processed: int
    delay_ms: float
    producer: int
    consumer: int
    sockets: int
    broker: int
    disk: int


@dataclass(frozen=True)
class Watched:
    """A whole run: what its ledger says, its samples, and whether the producer `died` of too much memory."""

    facts: Facts
    samples: list[Sample]
    died: bool


@dataclass
class Watch:
    """Looks at a producer and a consumer that are ready, at the sockets of their `host`, and at their broker."""

    case: Case
    load: Load
    reader: Reader
    producer: Process
    consumer: Process
    host: str
    broker: Broker

    def __post_init__(self) -> None:
        self._began = time.monotonic()
        self._samples: list[Sample] = []
        self._died = False

    def until_over(self, together: Together) -> Watched:
        """Let the producer begin, and look until all has come or nothing comes. Raises TransientFailure as `run` does."""
        self._look(0.0)
        self.producer.tell("go")
        quiet = self._began = time.monotonic()
        kept = KEPT_SECONDS if self.case.of_broker else QUIET_SECONDS
        facts = self.reader.facts
        while True:
            together.wait(LOOK_SECONDS)
            self._check()
            over = facts.ended or self._died
            if self.reader.read() or not over:
                quiet = time.monotonic()
            self._look(time.monotonic() - self._began)
            all_came = len(facts.processed) >= len(facts.sent)
            if over and (all_came or time.monotonic() - quiet > kept):
                return Watched(facts, self._samples, self._died)
            if time.monotonic() - self._began > LONGEST_SECONDS:
                raise TransientFailure(f"the lab's run over {self.case.name} did not end within {LONGEST_SECONDS} s")

    def _check(self) -> None:
        """Does each process live? One that has more memory than it may is killed."""
        self.consumer.check()
        if self._died:
            return
        self.producer.check()
        if self.case.ends and self._samples[-1].producer - self._samples[0].producer > self.load.memory:
            self.producer.kill()
            self._died = True

    def _look(self, seconds: float) -> None:
        facts = self.reader.facts
        self._samples.append(
            Sample(
                seconds,
                len(facts.sent),
                len(facts.refused),
                len(facts.processed),
                facts.processed[-1].delay_ns / 1e6 if facts.processed else 0.0,
                resident([self.producer.pid or 0]),
                resident([self.consumer.pid or 0]),
                in_sockets(self.host),
                resident(self.broker.pids),
                in_files(self.broker.folders),
            )
        )
