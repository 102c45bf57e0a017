"""One run: a producer and a consumer that is too slow for it, watched from its first order until nothing comes any more.

Data flow: Case, Load -> processes -> ledger, sizes -> Samples
Run: daybreak lab overload
"""

import random
import time
from dataclasses import dataclass
from pathlib import Path

from infra.failures import TransientFailure
from infra.lab.overload.brokers import Broker
from infra.lab.overload.cases import Case
from infra.lab.overload.sizes import in_files, in_sockets, resident
from infra.lab.processes.job import Job, Role
from infra.lab.processes.ledger import Facts, Reader
from infra.lab.processes.process import Family, Process
from infra.lab.processes.together import Together
from infra.lab.transports.transport import Wire

PORT = 17_500
"""Below the ports that a system gives to whoever asks for any."""
TIMES = 4
"""So many times is the producer as fast as the consumer."""
BUFFERS = 20
"""A buffer holds one message of so many."""
MESSAGE_BYTES = 350
MEMORY_BYTES, LEAST_BYTES = 128, 2_000_000
"""What a queue without a limit may take for each order of the lab, and at least. One that waits takes some 600, and three of four
do; the first connections take more than a million."""
QUIET_SECONDS = 1.0
"""What has not been processed so long after the last order that was, and after the producer has ended, is lost."""
KEPT_SECONDS = 20
"""The same for a broker: what it holds is there for as long as a consumer needs."""
LONGEST_SECONDS = 120
LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class Load:
    """The orders' file, how many there are, and how many are made per second."""

    orders_file: Path
    count: int
    rate: float

    @property
    def high_water(self) -> int:
        """Messages that a queue holds."""
        return max(self.count // BUFFERS, 1)

    @property
    def socket_bytes(self) -> int:
        """What a socket's buffer holds, so that those of both ends together hold about a queue's messages."""
        return self.high_water * MESSAGE_BYTES // 4

    @property
    def memory(self) -> int:
        """Bytes that a producer whose queue has no limit may have more than at its start."""
        return LEAST_BYTES + self.count * MEMORY_BYTES


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


def run(case: Case, load: Load, ledger: Path, broker: Broker, together: Together) -> Watched:
    """Run it. Raises TransientFailure if a process fails that was not to, or if it does not come to its end."""
    # An address of its own on loopback: no port of yours is touched, and two labs may run at once.
    a, b, c = (random.SystemRandom().randint(1, 254) for _ in range(3))
    wire = Wire(
        f"127.{a}.{b}.{c}",
        f"239.255.{b}.{c}",
        PORT,
        1,
        load.high_water,
        broker.place,
        broker.options,
        None if case.ends else load.high_water,
        load.socket_bytes,
    )
    with Reader(ledger) as reader, Family(case.transport, 2) as (consumer, producer):
        consumer.begin(Job(Role.CONSUMER, wire, str(ledger), 0, consumer=1, pace=load.rate / TIMES))
        producer.begin(
            Job(
                Role.PRODUCER,
                wire,
                str(ledger),
                0,
                orders_file=str(load.orders_file),
                end=load.count,
                rate=load.rate,
                consumers=1,
            )
        )
        together.begin()
        return _watched(case, load, reader, producer, consumer, wire.host, broker, together)


def _watched(
    case: Case,
    load: Load,
    reader: Reader,
    producer: Process,
    consumer: Process,
    host: str,
    broker: Broker,
    together: Together,
) -> Watched:
    facts, began, samples = reader.facts, time.monotonic(), list[Sample]()

    def look() -> None:
        samples.append(
            Sample(
                time.monotonic() - began if samples else 0.0,
                len(facts.sent),
                len(facts.refused),
                len(facts.processed),
                facts.processed[-1].delay_ns / 1e6 if facts.processed else 0.0,
                resident([producer.pid or 0]),
                resident([consumer.pid or 0]),
                in_sockets(host),
                resident(broker.pids),
                in_files(broker.folders),
            )
        )

    look()
    producer.tell("go")
    quiet, give_up, died = began, began + LONGEST_SECONDS, False
    kept = KEPT_SECONDS if case.of_broker else QUIET_SECONDS
    while True:
        together.wait(LOOK_SECONDS)
        consumer.check()
        if not died:
            producer.check()
            if case.ends and resident([producer.pid or 0]) - samples[0].producer > load.memory:
                producer.kill()
                died = True
        over = facts.ended or died
        if reader.read() or not over:
            quiet = time.monotonic()
        look()
        all_came = len(facts.processed) >= len(facts.sent)
        if over and (all_came or time.monotonic() - quiet > kept):
            return Watched(facts, samples, died)
        if time.monotonic() > give_up:
            raise TransientFailure(f"the lab's run over {case.name} did not end within {LONGEST_SECONDS} s")
