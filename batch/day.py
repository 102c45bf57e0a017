"""A UTC day, half-open.

Data flow: --date -> Day -> filters on `day` and on event times
Run: python -m batch truth --date 2026-01-31
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from infra.failures import PermanentFailure


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
