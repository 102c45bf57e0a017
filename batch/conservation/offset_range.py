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

    `log_first`: the first offset that the log still has. Gaps may lie partly or wholly outside of the range.
    """

    topic: str
    partition: int
    start: int
    end: int
    log_first: int
    gaps: tuple[Range, ...] = ()
    unread: tuple[Range, ...] = ()

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} [{self.start}, {self.end})"

    @property
    def at(self) -> At:
        """Topic and partition."""
        return self.topic, self.partition

    @property
    def size(self) -> int:
        """Offsets outside of the archive's gaps."""
        return uncovered((self.start, self.end), self.gaps)

    @property
    def size_gone(self) -> int:
        """Of the offsets that `size` counts, those that the log no longer has, without the stream's gaps."""
        return uncovered((self.start, min(self.end, self.log_first)), (*self.gaps, *self.unread))

    def holds(self) -> Column:
        """Over topic, partition, offset: is it one of the offsets that `size` counts?"""
        return within(self.at, [(self.start, self.end)]) & ~within(self.at, self.gaps)

    def row(self) -> dict[str, str | int]:
        """The columns of a range."""
        return {"topic": self.topic, "partition": self.partition, "from": self.start, "to": self.end}


def within(at: At, ranges: Iterable[Range]) -> Column:
    """Over topic, partition, offset: is it in one of the ranges of this partition?"""
    inside = F.lit(False)
    for start, end in ranges:
        inside = inside | ((F.col("offset") >= start) & (F.col("offset") < end))
    return (F.col("topic") == at[0]) & (F.col("partition") == at[1]) & inside


def uncovered(whole: Range, ranges: Iterable[Range]) -> int:
    """How many offsets of `whole` are in none of the ranges, which may overlap."""
    reached, end = whole
    left = 0
    for first, last in sorted(ranges):
        if first > reached:
            left += max(0, min(first, end) - reached)
        reached = max(reached, last)
    return left + max(0, end - reached)
