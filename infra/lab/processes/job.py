"""What a process of the lab is told to do, as one line on its standard input.

Data flow: Job -> JSON -> Job
Run: daybreak lab direct
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum

from infra.lab.transports.transport import Wire


class Role(StrEnum):
    """What a process is."""

    PRODUCER = "producer"
    CONSUMER = "consumer"


class Place(StrEnum):
    """Where in a message a consumer dies: before its work on it, or behind it and before the acknowledgement."""

    BEFORE = "before"
    BEHIND = "behind"


@dataclass(frozen=True)
class Death:
    """A consumer kills itself with SIGKILL in the first message that has this number or a higher one."""

    number: int
    place: Place


@dataclass(frozen=True)
class Job:
    """One life of a process, with the first number that it sends or has not processed.

    A producer sends the lines of `orders_file` before `end`, `rate` per second; at its start there are so many `consumers`.
    A consumer has the number `consumer`, and perhaps a `death`; it processes at most `pace` orders per second, if that is
    not 0.
    """

    role: Role
    wire: Wire
    ledger: str
    first: int
    orders_file: str = ""
    end: int = 0
    rate: float = 0.0
    consumers: int = 0
    consumer: int = 0
    pace: float = 0.0
    death: Death | None = None

    def text(self) -> str:
        """The job as one line; it may hold passwords, so it is not for the command line."""
        return json.dumps(asdict(self))

    @staticmethod
    def read(text: str) -> "Job":
        """The job that `text()` wrote."""
        job = json.loads(text)
        death = job["death"] and Death(job["death"]["number"], Place(job["death"]["place"]))
        return Job(**job | {"role": Role(job["role"]), "wire": Wire(**job["wire"]), "death": death})
