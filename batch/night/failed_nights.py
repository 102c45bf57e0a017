"""What a night finds wrong is kept as a problem until a later night of it is good; a task that fails is over the next day.

Data flow: a step of the night, its failure or its good end -> `<home>/problems/night.json`
Run: daybreak status --problems
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime

from batch.days.day import Day
from infra.failures import PermanentFailure
from infra.problems import Problem, add, mended, of_source
from infra.settings import settings

NIGHT = "night"
"""The source of these problems. One night at a time writes, as it holds the night's lease."""


@contextmanager
def checked(step: str, night: Day, day: Day | None = None, source: str = "") -> Iterator[None]:
    """A step of a night, e.g. `archive`, or of one day. What it refuses for good is a problem until the same step ends well.

    A transient failure leaves things as they are: a retry says more. `source`: where the step tells its problems itself, one by
    one; then the failure is not told a second time.
    """
    name = _name(step, day)
    try:
        yield
    except PermanentFailure as failure:
        if source and of_source(settings(), source):
            _good(name)
            raise
        again = f"what the sentence says; then: daybreak night --date {night}"
        add(settings(), NIGHT, [Problem(name, str(failure), again)])
        raise
    _good(name)


def waits(day: Day, what: str) -> None:
    """A day waits for an approval."""
    mend = f'daybreak decide --date {day} --approve --note "why", or --reject'
    add(settings(), NIGHT, [Problem(_name("approval", day), what, mend)])


def decided(day: Day) -> None:
    """The day does not wait for an approval any more: it is settled, or was rejected by a person."""
    _good(_name("approval", day))


def over(settled_at: Mapping[date, datetime]) -> None:
    """Problems of days that were settled since are over, also where the night that settled them died before it could say so."""
    names = []
    for one in of_source(settings(), NIGHT):
        day = one.id.partition("/")[2]
        at = settled_at.get(date.fromisoformat(day)) if day else None
        names += [one.id] if at and one.since and at > one.since else []
    if names:
        mended(settings(), NIGHT, names)


def _good(name: str) -> None:
    if any(one.id == name for one in of_source(settings(), NIGHT)):
        mended(settings(), NIGHT, [name])


def _name(step: str, day: Day | None) -> str:
    return f"night.{step}/{day}" if day else f"night.{step}"
