"""The ledger of a run: what was sent and what was processed, written by the processes that did it.

Data flow: producer, consumers -> one file, a line per fact -> Facts
Run: daybreak lab direct

All append to one file, each line by one call of the system. So lines of two processes never mix, their order is the order
in which things happened, and what a process has written outlives its death.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import NamedTuple


class Took(NamedTuple):
    """A consumer (from 1) has got a message, and not worked on it yet."""

    consumer: int
    number: int


class Processed(NamedTuple):
    """A consumer (from 1) has processed an order, so many nanoseconds after the order was due."""

    consumer: int
    number: int
    delay_ns: int


@dataclass
class Facts:
    """What a ledger says, in its order: numbers sent, numbers that a full transport `refused`, orders processed, whether the
    producer has `ended`, and what was `taken` before it was processed."""

    sent: list[int] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)
    processed: list[Processed] = field(default_factory=list)
    ended: bool = False
    taken: list[Took] = field(default_factory=list)


class Ledger:
    """The pen of one process."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def sent(self, number: int) -> None:
        """The transport has taken an order."""
        os.write(self._file, b"s %d\n" % number)

    def refused(self, number: int) -> None:
        """The transport is full, and has not taken an order."""
        os.write(self._file, b"r %d\n" % number)

    def taken(self, consumer: int, number: int) -> None:
        """A consumer has got a message."""
        os.write(self._file, b"t %d %d\n" % (consumer, number))

    def processed(self, consumer: int, number: int, delay_ns: int) -> None:
        """A consumer has done its work on an order."""
        os.write(self._file, b"p %d %d %d\n" % (consumer, number, delay_ns))

    def ended(self) -> None:
        """All is sent, and the producer waits for no answer any more."""
        os.write(self._file, b"e\n")


class Reader:
    """Reads a ledger while it is written: `facts` are those up to the last `read`."""

    def __init__(self, file: Path) -> None:
        file.touch()
        self._file = file.open("rb")
        self._rest = b""
        self.facts = Facts()

    def read(self) -> bool:
        """Read what was added; false if nothing was. Raises ValueError for a line that no ledger has."""
        added = self._file.read()
        *lines, self._rest = (self._rest + added).split(b"\n")
        for line in lines:
            match line.split():
                case [b"s", number]:
                    self.facts.sent.append(int(number))
                case [b"r", number]:
                    self.facts.refused.append(int(number))
                case [b"t", consumer, number]:
                    self.facts.taken.append(Took(int(consumer), int(number)))
                case [b"p", consumer, number, delay]:
                    self.facts.processed.append(Processed(int(consumer), int(number), int(delay)))
                case [b"e"]:
                    self.facts.ended = True
                case _:
                    raise ValueError(f"the ledger of the lab has a line that is none of its own: {line!r}")
        return bool(added)

    def __enter__(self) -> "Reader":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
