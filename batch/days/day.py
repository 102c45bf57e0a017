"""A UTC day, half-open.

Data flow: --date -> Day -> filters on `day` and on event times
Run: python -m batch truth --date 2026-01-31
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from pyspark.sql import Column
from pyspark.sql import functions as F

from infra.failures import PermanentFailure


class Span(NamedTuple):
    """Event times from `start` until before `end`."""

    start: datetime
    end: datetime

    def holds(self, time: Column | str) -> Column:
        """Over a column of times: is it in the span?"""
        at = F.col(time) if isinstance(time, str) else time
        return (at >= F.lit(self.start)) & (at < F.lit(self.end))

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last UTC day that it touches."""
        return self.start.date(), (self.end - timedelta(microseconds=1)).date()


@dataclass(frozen=True, order=True)
class Day:
    """[midnight UTC, next midnight UTC)."""

    date: date

    @property
    def start(self) -> datetime:
        """First instant."""
        return datetime(self.date.year, self.date.month, self.date.day, tzinfo=UTC)

    @property
    def end(self) -> datetime:
        """First instant of the next day."""
        return self.start + timedelta(days=1)

    def around(self, before: timedelta, after: timedelta) -> "Span":
        """The day, with so much before its start and after its end."""
        return Span(self.start - before, self.end + after)

    def __str__(self) -> str:
        return self.date.isoformat()


def parse(text: str) -> Day:
    """A day written as YYYY-MM-DD; anything else, a timestamp included, is refused."""
    try:
        return Day(date.fromisoformat(text) if len(text) == 10 else _refuse(text))
    except ValueError:
        raise PermanentFailure(f"{text!r} is not a day: write it as YYYY-MM-DD (UTC)") from None


def names(days: Iterable[Day]) -> str:
    """Days as text for a log line."""
    return ", ".join(str(day) for day in days) or "nothing to do"


def _refuse(text: str) -> date:
    raise ValueError(text)
