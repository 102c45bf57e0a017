"""What became of records: how many were lost, how many came more than once.

Data flow: ids that were sent, ids that were found -> Counts
Run: daybreak lab delivery
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """Records `sent`; those of them that were never found (`lost`), and those found more than once (`doubled`)."""

    sent: int
    lost: int
    doubled: int


def count(sent: Collection[Hashable], found: Iterable[Hashable]) -> Counts:
    """Compare the ids that were found with the distinct ids that were sent. Raises ValueError for a foreign id."""
    times = Counter(found)
    if foreign := times.keys() - set(sent):
        raise ValueError(f"{len(foreign)} records were found that nobody sent, e.g. {next(iter(foreign))!r}")
    return Counts(
        sent=len(sent),
        lost=sum(times[one] == 0 for one in sent),
        doubled=sum(times[one] > 1 for one in sent),
    )
