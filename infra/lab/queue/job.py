"""What a process of the lab is told to do, as one line on its standard input.

Data flow: Job -> JSON -> Job
Run: daybreak lab queue
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from infra.queue.broker import Broker


class Way(StrEnum):
    """What stands between a producer and its consumers."""

    QUEUE = "queue"
    SHARE = "share group"
    PARTITION = "partition"


class Role(StrEnum):
    """What a process is: a consumer that is told step by step; or one that sends or takes as fast as it can."""

    CONSUMER = "consumer"
    POURS = "pours"
    DRAINS = "drains"


@dataclass(frozen=True)
class Access:
    """How one reaches both brokers; it holds a password."""

    broker: Broker
    options: dict[str, str | int | float | bool]


@dataclass(frozen=True)
class Job:
    """One life of a process at `source`, a queue or a topic; for Kafka in `group`.

    A `consumer` (from 1) takes `one` message at a time, or many, and works on each for `work` seconds. If it `halts`, it does
    so only after a "go". In the messages `dies_before` and `dies_behind` it kills itself, before its work or between this and
    its acknowledgement. It acknowledges the messages `acks` only, or all (None). With `fan_out` it gets every message. It
    assigns itself the `partition`; with None it joins its group, which shares the partitions out.

    One that pours or drains does so for `seconds`; what it pours is written to disk by the broker if it is `durable`.
    """

    way: Way
    role: Role
    access: Access
    source: str
    group: str = ""
    ledger: str = ""
    consumer: int = 0
    one: bool = True
    halts: bool = False
    dies_before: tuple[int, ...] = ()
    dies_behind: tuple[int, ...] = ()
    acks: tuple[int, ...] | None = None
    work: float = 0.0
    fan_out: bool = False
    partition: int | None = 0
    seconds: float = 0.0
    durable: bool = True

    def text(self) -> str:
        """The job as one line; it holds passwords, so it is not for the command line."""
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: str) -> "Job":
        """The job that `text()` wrote."""
        job = json.loads(text)
        access = Access(Broker(**job["access"]["broker"]), job["access"]["options"])
        numbers = {name: tuple(job[name]) for name in ("dies_before", "dies_behind")}
        acks = None if job["acks"] is None else tuple(job["acks"])
        own = {"way": Way(job["way"]), "role": Role(job["role"]), "access": access, "acks": acks}
        return Job(**job | own | numbers)
