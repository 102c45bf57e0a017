"""A range of one partition's offsets, with the gaps in it: the unit that conservation counts.

Data flow: marks, log -> OffsetRange
Run: pytest tests/batch/test_offset_range.py
"""

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F

from infra.kafka.places import At

Range = tuple[int, int]
"""Half-open: the first offset, and one past the last."""


@dataclass(frozen=True)
class OffsetRange:
    """Offsets [start, end) of one partition, with accepted gaps of the archive (`gaps`) and of the stream (`unread`).

    `log_first`: the first offset that the log still has. `accepted`: offsets whose faults a person accepted. Gaps and
    accepted offsets may lie partly or wholly outside of the range.
    """

    topic: str
    partition: int
    start: int
    end: int
    log_first: int
    gaps: tuple[Range, ...] = ()
    unread: tuple[Range, ...] = ()
    accepted: tuple[Range, ...] = ()

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} [{self.start}, {self.end})"

    @property
    def at(self) -> At:
        """Topic and partition."""
        return self.topic, self.partition

    @property
    def size(self) -> int:
        """Offsets outside of the archive's gaps and of what was accepted."""
        return uncovered((self.start, self.end), (*self.gaps, *self.accepted))

    @property
    def size_in_gaps(self) -> int:
        """Offsets in the archive's gaps."""
        return self.end - self.start - uncovered((self.start, self.end), self.gaps)

    def holds(self) -> Column:
        """Over topic, partition, offset: is it one of the offsets that `size` counts?"""
        return within(self.at, [(self.start, self.end)]) & ~within(self.at, (*self.gaps, *self.accepted))

    def counted_of(self, ranges: Iterable[Range]) -> list[Range]:
        """What `size` counts of some ranges."""
        inside = [(max(start, self.start), min(end, self.end)) for start, end in ranges]
        return [part for one in inside for part in outside(one, (*self.gaps, *self.accepted))]

    def gone(self, ranges: Iterable[Range]) -> list[Range]:
        """Of some ranges the offsets that the log no longer has, without the stream's gaps."""
        below = [(start, min(end, self.log_first)) for start, end in ranges]
        return [part for one in below for part in outside(one, self.unread)]

    def row(self) -> dict[str, str | int]:
        """The columns of a range."""
        return {"topic": self.topic, "partition": self.partition, "from": self.start, "to": self.end}


def within(at: At, ranges: Iterable[Range]) -> Column:
    """Over topic, partition, offset: is it in one of the ranges of this partition?"""
    inside = F.lit(False)
    for start, end in ranges:
        inside = inside | ((F.col("offset") >= start) & (F.col("offset") < end))
    return (F.col("topic") == at[0]) & (F.col("partition") == at[1]) & inside


def outside(whole: Range, ranges: Iterable[Range]) -> list[Range]:
    """What of `whole` is in none of the ranges, which may overlap; in order."""
    reached, end = whole
    left = []
    for first, last in sorted(ranges):
        if first > reached:
            left.append((reached, min(first, end)))
        reached = max(reached, last)
    left.append((reached, end))
    return [(first, last) for first, last in left if first < last]


def uncovered(whole: Range, ranges: Iterable[Range]) -> int:
    """How many offsets of `whole` are in none of the ranges, which may overlap."""
    return size_of(outside(whole, ranges))


def size_of(ranges: Iterable[Range]) -> int:
    """How many offsets are in ranges that do not overlap."""
    return sum(end - start for start, end in ranges)
