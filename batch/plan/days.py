"""Which settled days are redone because other versions settled them, and what days have taken so far.

Data flow: settlements, versions of the code -> Redone per day; times of settlements -> seconds of a day
Run: daybreak plan
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby
from statistics import median

from streaming.versions.definitions import differing, is_of_events, topic_of

LONGEST = timedelta(hours=2)
"""A task of a night ends by then: what seems to have taken longer was waiting, for an approval or for the next night."""
NEWEST = 7
"""Of so many days that were settled last the seconds are told."""


@dataclass(frozen=True)
class Redone:
    """A settled day that other versions settled: of another contract (`topics`) all of it is redone, else only the `views`."""

    day: date
    topics: tuple[str, ...]
    views: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Are its events decided anew?"""
        return bool(self.topics)


def redone(settled: Mapping[date, Mapping[str, str]], now: Mapping[str, str]) -> list[Redone]:
    """The days that the next night redoes for another version, oldest first. `settled`: day -> the versions that settled it."""
    found = []
    for day, by in sorted(settled.items()):
        others = differing(by, now)
        topics = {topic_of(name) or name for name in others if is_of_events(name)}
        own = {name for name in others if not is_of_events(name)}
        if others:
            found.append(Redone(day, tuple(sorted(topics)), tuple(sorted(own))))
    return found


def alike(found: Iterable[Redone]) -> list[list[Redone]]:
    """The days in groups that are redone for the same reason, each in the order of its first day."""
    ordered = sorted(found, key=lambda one: (one.topics, one.views, one.day))
    groups = [list(own) for _, own in groupby(ordered, key=lambda one: (one.topics, one.views))]
    return sorted(groups, key=lambda own: own[0].day)


def seconds(settled_at: Iterable[datetime], counted_at: Iterable[datetime]) -> list[float]:
    """What the newest days took: from the end of the day before it, or of the count after the archive, until it was settled.

    At most NEWEST, newest last. One that seems to have taken longer than LONGEST was waiting, and is left out.
    """
    ends = sorted({*settled_at})
    marks = sorted({*ends, *counted_at})
    found = []
    for end in ends:
        before = bisect_left(marks, end)
        if before and (took := end - marks[before - 1]) <= LONGEST:
            found.append(took.total_seconds())
    return found[-NEWEST:]


def usual(found: Iterable[float]) -> float | None:
    """The median, which one night that waited does not move; None: nothing was measured."""
    known = list(found)
    return median(known) if known else None
