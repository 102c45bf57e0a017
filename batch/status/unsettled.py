"""Days that have events, are over, and are not settled although their night was due: nobody would miss them otherwise.

Data flow: days in silver's log, settlements, decisions -> one Problem that names them
Run: daybreak status --problems
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta

import pyarrow as pa

from batch.days.day import Day
from batch.settlement.decisions import DECISIONS
from batch.settlement.settlements import SETTLEMENTS
from infra.lake.reader import delta, exists, read
from infra.problems import Problem
from infra.settings import Settings
from streaming.tables.silver import SILVER


def unsettled(s: Settings) -> list[Problem]:
    """The days whose night is overdue. Raises TransientFailure if the object store does not answer."""
    if not exists(s, SILVER.id):
        return []
    return overdue(with_events(s), settled(s) | decided(s), datetime.now(UTC), timedelta(hours=s.night_hours))


def with_events(s: Settings) -> dict[date, datetime]:
    """The days of silver's events, and since when each has some, as far as its files tell; read from the table's log alone."""
    files = pa.table(delta(s, SILVER.id).get_add_actions(flatten=True))
    found: dict[date, datetime] = {}
    for day, at in zip(files["partition.day"].to_pylist(), files["modification_time"].to_pylist(), strict=True):
        own = day if isinstance(day, date) else date.fromisoformat(str(day))
        since = at.replace(tzinfo=UTC) if isinstance(at, datetime) else datetime.fromtimestamp(at / 1000, UTC)
        found[own] = min(since, found.get(own, since))
    return found


def settled(s: Settings) -> set[date]:
    """The settled days."""
    return {row["day"] for row in read(s, SETTLEMENTS.id, ["day"]).to_pylist()} if exists(s, SETTLEMENTS.id) else set()


def decided(s: Settings) -> set[date]:
    """Days of which a person was asked; they are not settled because of the answer, or wait for it, which is a problem of its
    own."""
    return {row["day"] for row in read(s, DECISIONS.id, ["day"]).to_pylist()} if exists(s, DECISIONS.id) else set()


def overdue(events: Mapping[date, datetime], done: Iterable[date], now: datetime, after: timedelta) -> list[Problem]:
    """One problem of all days that are due: `after` so long since their end, or since they have events if that was later."""
    due = {day: max(Day(day).end, since) + after for day, since in events.items() if day not in {*done}}
    late = sorted(day for day, at in due.items() if at <= now)
    if not late:
        return []
    are = "1 day has" if len(late) == 1 else f"{len(late)} days have"
    what = f"{are} events and no night has settled them: what gold serves of them is provisional for ever"
    rows = tuple(str(day) for day in late)
    mend = f"daybreak backfill --from {late[0]} --to {late[-1]}; without Airflow daybreak night --date D for each"
    return [Problem("night.unsettled", what, mend, len(late), rows, min(due[day] for day in late))]
