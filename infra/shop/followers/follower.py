"""What a follower is: data derived from topics, with the position up to which they were applied.

Data flow: records of topics -> data and position, in one commit
Run: daybreak follower lag
Source: Kleppmann, Designing Data-Intensive Applications, chapter 11: derived data systems.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from infra.settings import Settings
from infra.shop.db.changes import Key, Row

Place = tuple[str, int]
"""A topic and one of its partitions."""
Position = dict[Place, int]
"""Place -> the offset of the next record."""


class Record(NamedTuple):
    """A committed record of a topic, as anyone may have written it."""

    topic: str
    value: bytes | None
    key: bytes | None
    arrival_ms: int
    offset: int


class Follower(Protocol):
    """The data of one follower. Whatever applies records to it must be its only writer."""

    def apply(self, records: Sequence[Record], position: Position) -> None:
        """Apply records and go on to the position, in one commit; what is no record of ours is passed over."""

    def position(self) -> Position:
        """Up to where records were applied; empty for new data."""

    def rows(self, table: str) -> Mapping[Key, Row]:
        """Every row of a table by its key."""

    def close(self) -> None:
        """Let another one write."""

    def discard(self) -> None:
        """Throw the data away, e.g. that of a rebuild which failed."""


@dataclass(frozen=True)
class Beside:
    """How data is built anew while the old data serves: `fresh` is empty data beside it, `swapped` puts that in its place."""

    fresh: Callable[[Settings], Follower]
    swapped: Callable[[Settings, Follower], None]


@dataclass(frozen=True)
class System:
    """A kind of follower. `tables` are those that it has all of, `topics` what it reads, in this order.

    `opened` is the data that serves. `anew` builds it anew: beside it, or, where it keeps what the log no longer has, in its
    place; then it says of how many records.
    """

    name: str
    tables: tuple[str, ...]
    topics: Callable[[Settings], tuple[str, ...]]
    opened: Callable[[Settings], Follower]
    anew: Beside | Callable[[Settings], int]

    @property
    def program(self) -> str:
        """Its program's name."""
        return f"follower-{self.name}"

    def status_file(self, s: Settings) -> Path:
        """Where its program says how far it is."""
        return s.home / "run" / f"{self.program}.json"


def as_text(position: Position) -> dict[str, int]:
    """A position as JSON has it."""
    return {f"{topic}/{number}": offset for (topic, number), offset in position.items()}


def from_text(position: Mapping[str, int | str]) -> Position:
    """The reverse."""
    split = {text.rpartition("/"): offset for text, offset in position.items()}
    return {(topic, int(number)): int(offset) for (topic, _, number), offset in split.items()}
