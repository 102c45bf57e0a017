"""What a team needs to know before it chooses, what it can choose, and a figure that says something about it.

Data flow: none, names only; a lab's rows -> a figure in words
Run: daybreak lab fit
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from infra.lab.labs import Lab
from infra.lab.result import Row


class Need(StrEnum):
    """What happens to any system sooner or later, and what one asks of it."""

    FAST = "the producer is faster than the consumer"
    DIES = "a node dies"
    LATER = "a consumer comes later"
    ORDER = "order"
    PARALLEL = "parallel and slow work"
    REPLAY = "replay"
    COST = "cost per message"


class Choice(StrEnum):
    """A way to send."""

    DIRECT = "direct"
    QUEUE = "queue"
    LOG = "log"


Rows = Sequence[Row]


@dataclass(frozen=True)
class Figure:
    """What a lab measured, in words: `says` picks it from the lab's rows. Raises LookupError if they do not have it.

    `option` is the platform's option without which the lab does not measure it.
    """

    lab: Lab
    says: Callable[[Rows], str]
    option: str | None = None

    @property
    def command(self) -> str:
        """What measures it."""
        return f"daybreak up --with {self.option}, then {self.lab.command}" if self.option else self.lab.command


Figures = Mapping[Need, Sequence[Figure]]
"""Those of one choice."""


def pick(rows: Rows, column: str, where: Mapping[str, str]) -> str:
    """What stands in a column of the first row whose columns have these values. Raises LookupError if there is none."""
    for row in rows:
        if all(row[name] == value for name, value in where.items()):
            value = row[column]
            return f"{value:,}" if isinstance(value, int) else value
    raise LookupError(f"no row has {where}")
