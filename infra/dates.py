"""Days and times as people write and read them.

Data flow: text -> date; time -> text
Run: pytest tests/infra/test_dates.py
"""

from datetime import UTC, date, datetime

from infra.failures import PermanentFailure


def day_of(text: str) -> date:
    """The day that a text says in ISO 8601. Raises PermanentFailure, which says how to write one."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise PermanentFailure(f"{text!r} is not a day: write it as YYYY-MM-DD") from None


def clock(at: datetime) -> str:
    """A time in UTC, to the second."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
