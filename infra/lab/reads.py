"""What the members of a group have read, and what became of the records: pure functions.

Data flow: reads in the order of each member, committed offsets -> records per member and partition, Counts
Run: daybreak lab groups
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from infra.lab.counts import Counts, count


@dataclass(frozen=True)
class Read:
    """A record that a member read."""

    member: str
    partition: int
    offset: int


Offsets = dict[int, int]
"""An offset per partition of the one topic."""


def per_member(reads: Sequence[Read]) -> dict[str, dict[int, int]]:
    """Records read, per member and partition."""
    found: dict[str, dict[int, int]] = {}
    for read in reads:
        own = found.setdefault(read.member, {})
        own[read.partition] = own.get(read.partition, 0) + 1
    return found


def counted(reads: Sequence[Read], committed: Mapping[int, int]) -> Counts:
    """Lost is what lies below the committed offsets and was never read: no successor reads it either."""
    below = [(partition, offset) for partition, end in committed.items() for offset in range(end)]
    found = [(read.partition, read.offset) for read in reads if read.offset < committed.get(read.partition, 0)]
    return count(below, found)


def goes_on_at(reads: Sequence[Read], dead: str, partitions: Sequence[int]) -> Offsets:
    """The first offset of each of `partitions` that another member than `dead` read."""
    found: Offsets = {}
    for read in reads:
        if read.member != dead and read.partition in partitions:
            found.setdefault(read.partition, read.offset)
    return found


def lag(ends: Mapping[int, int], committed: Mapping[int, int]) -> int:
    """Records that the group has not committed yet, over all partitions."""
    return sum(end - committed.get(partition, 0) for partition, end in ends.items())
