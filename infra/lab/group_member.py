"""A member of a consumer group in the groups lab: it tells what it reads and commits, and dies or hangs when told to.

Data flow: Job on standard input, a topic -> one JSON object per record (the effect) and commit on standard output
Run: daybreak lab groups

It is an at-least-once consumer: the effect comes first, the offsets are committed behind it. It ends, and leaves its group,
when its standard input is closed.
"""

import json
import os
import select
import signal
import sys
from dataclasses import asdict, dataclass
from enum import StrEnum

from confluent_kafka import Consumer, Message, TopicPartition

COMMIT_EVERY = 10
"""Records between two commits; it also commits when there is nothing to read."""
SESSION_MS = 6000
"""A member that sends no heartbeat for so long is dead. It is the least that a broker allows by default
(group.min.session.timeout.ms), and no `max.poll.interval.ms` may be shorter."""
PATIENT_MS = 15_000
"""The same for a member that is to stay: a busy machine may hold a heartbeat up."""


class End(StrEnum):
    """What happens to a member that is not to stay."""

    DIE = "dies"
    HANG = "hangs"


@dataclass(frozen=True)
class Job:
    """A member `name` of `group`. After `after` records it dies, or hangs and polls no more; if `end` is None, it stays."""

    options: dict[str, str | int | float | bool]
    group: str
    name: str
    topic: str
    end: End | None = None
    after: int = 0

    def text(self) -> str:
        """The job as one line of JSON; it may hold passwords, so it is not for the command line."""
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: str) -> "Job":
        """The job that `text()` wrote."""
        job = json.loads(text)
        return Job(**job | {"end": job["end"] and End(job["end"])})


class Member:
    """A consumer that does one job."""

    def __init__(self, job: Job) -> None:
        own: dict[str, str | int | float | bool] = {
            "group.id": job.group,
            "client.id": job.name,
            # With the protocol of KIP-848 the broker would set the session timeout, for all groups alike.
            "group.protocol": "classic",
            "session.timeout.ms": SESSION_MS if job.end else PATIENT_MS,
            "heartbeat.interval.ms": 500,
            "max.poll.interval.ms": SESSION_MS if job.end is End.HANG else 300_000,
            # Who keeps a partition reads on while another one moves.
            "partition.assignment.strategy": "cooperative-sticky",
            "enable.auto.commit": "false",
            "auto.offset.reset": "earliest",
        }
        self._job = job
        self._consumer = Consumer(job.options | own)
        self._uncommitted: dict[int, int] = {}
        self._read = 0

    def work(self) -> None:
        """Read until standard input is closed."""
        self._consumer.subscribe([self._job.topic], on_revoke=lambda *_: self._commit())
        while not select.select([sys.stdin], [], [], 0)[0]:
            message = self._consumer.poll(0.1)
            if message is None:
                self._commit()
            elif message.error() is None:
                self._handle(message)
        self._commit()
        # Closed alone, a member without partitions would not leave: librdkafka 2.16 sends no LeaveGroup for it.
        self._consumer.unsubscribe()
        self._consumer.close()

    def _handle(self, record: Message) -> None:
        partition, offset = record.partition() or 0, record.offset() or 0
        tell(partition=partition, offset=offset)
        self._uncommitted[partition] = offset + 1
        self._read += 1
        if self._job.end and self._read == self._job.after:
            if self._job.end is End.DIE:
                os.kill(os.getpid(), signal.SIGKILL)
            tell(hangs=True)
            # Its heartbeats go on, from a thread of the client's: only max.poll.interval.ms gives it away.
            sys.stdin.read()
            os.kill(os.getpid(), signal.SIGKILL)
        if self._read % COMMIT_EVERY == 0:
            self._commit()

    def _commit(self) -> None:
        if self._uncommitted:
            offsets = [TopicPartition(self._job.topic, *at) for at in self._uncommitted.items()]
            self._consumer.commit(offsets=offsets, asynchronous=False)
            for partition, end in self._uncommitted.items():
                tell(partition=partition, committed=end)
            self._uncommitted = {}


def tell(**what: int) -> None:
    """Print one line of JSON; it is there for the parent before the member does anything else."""
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    # Ctrl-C reaches the parent too, which then closes standard input: so it leaves its group all the same.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Member(Job.read(sys.stdin.readline())).work()
