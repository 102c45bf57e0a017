"""Handed over: what the driver of one night of a backfill has done ahead for the next nights, each taken once.

Data flow: the archive's report -> an Airflow variable -> the archive's task of a later night of the same backfill
Run: daybreak backfill --from 2026-01-01 --to 2026-01-07

To start a driver costs more than to recompute a day in one that is warm. The variable is no result: what it does not hold any
more, or holds of another backfill, is done again by its own night, which changes nothing.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from airflow.sdk import Variable

VARIABLE = "nightly_done_ahead"
NIGHTS = 7
"""Of a backfill at most so many nights are one driver's: so a long one shows its progress, and a task ends in time."""


def last_ahead(backfill: Mapping[str, str], day: str) -> str:
    """The last day of the backfill that the driver of this day's night does as well."""
    return min(backfill["last"], str(date.fromisoformat(day) + timedelta(days=NIGHTS - 1)))


def hand_over(backfill: Mapping[str, str], done: Mapping[str, Any], drawn: bool) -> None:
    """Keep what was done for later nights (day -> its open approval requests; is the curve of all drawn?)."""
    _keep({"asked": backfill["asked"], "done": dict(done), "drawn": drawn})


def take(backfill: Mapping[str, str], day: str) -> dict[str, Any] | None:
    """What an earlier night of this backfill has done for this day, once; a task that is cleared later does its own work."""
    left = Variable.get(VARIABLE, default=None, deserialize_json=True)
    if not left or left["asked"] != backfill["asked"] or day not in left["done"]:
        return None
    own = left["done"].pop(day)
    _keep(left)
    return {"done": {day: own}, "drawn": left["drawn"]}


def _keep(left: Mapping[str, Any]) -> None:
    said = "Days that a night of the current backfill has done ahead; each is taken by its own night."
    Variable.set(VARIABLE, dict(left), description=said, serialize_json=True)
