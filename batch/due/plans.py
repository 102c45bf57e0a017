"""The night's plan: its own day, and every day that new arrivals, a changed definition or a person's decision touched.

Data flow: archive, settlements, past_settlements, decisions -> one DayPlan per day
Run: python -m batch correct --date 2026-01-31

Every day has a run of its own, so each day can be done, retried, held back and settled independently of the others.
"""

import hashlib
from collections.abc import Collection, Mapping
from datetime import date
from typing import Any

from pyspark.sql import SparkSession

from batch.archive.archived import days_of_records, newer
from batch.archive.events import ARCHIVE_GAPS, held
from batch.conservation.check import conserved
from batch.conservation.losses_table import lost, without
from batch.days.day import Day
from batch.days.day_plan import DayPlan, Redo, Settlement
from batch.due.affected_days import Touched
from batch.due.late_schema_versions import before_them
from batch.due.night_state import learned as looked_at_versions
from batch.due.night_state import record_learned, record_unchanged, unchanged_to
from batch.reconciliation.closed import Closed
from batch.reconciliation.open_rows import horizon, read_by_both
from batch.reconciliation.speed_snapshot import finished
from batch.settlement.decisions import DECISIONS, Decision
from batch.settlement.settlements import PAST_SETTLEMENTS, SETTLEMENTS
from batch.settlement.settlements import ends as ends_of
from infra.kafka.places import Ends
from infra.lake import arrow_tables, spark_tables
from streaming.versions.definitions import differing, is_of_events, learned

MISSED = 7
"""Most missed days that one night makes up for: a task has a limit, and the next night goes on."""

Settled = dict[str, Any]
"""A row of settlements, of past_settlements or of decisions."""


def plans(
    session: SparkSession, night: Day, definitions: Mapping[str, str], full: bool = False, only: Day | None = None
) -> tuple[DayPlan, ...]:
    """The plans of a night, one per day, oldest first; with `only` at most the plan of that day.

    Planned are: `night` itself until it is settled; days with records that earlier nights have missed; every settled or
    rejected day that newer arrivals touch, or that was decided by other definitions, or that rejected records of a schema
    version which is known now; every settled day of which rows were open and have closed since; every day that waits for an
    approval. `full` adds all settled days. The same archive and definitions give the same run ids. A day that such records could
    have touched, and did not, is noted (night_state). Of a day that is settled, only what can have changed is done again.
    """
    sound = conserved()
    unchecked = newer(session, {at: end for at, (_, end) in sound.items()})
    ranges = held(unchecked, spark_tables.read(session, ARCHIVE_GAPS), sound)
    ends = {at: found[-1][1] for at, found in ranges.items()}
    ranges = without(ranges, lost())
    covered, before = settlements()
    open_days, validated = _unsettled(covered.keys(), before.keys())
    missed = _missed(days_of_records(), night, before.keys(), {*open_days, *validated})
    validated |= covered
    known = {*validated, *open_days, *missed, night.date}
    looked_at = known & {only.date} if only else known
    known_to = unchanged_to()
    read_to = {day: known_to.get(day) or ends_of(row["offsets"]) for day, row in validated.items() if day in looked_at}
    news = _learned(definitions, {day: validated[day] for day in read_to})
    touched = Touched(session, before_them(session, news, read_to) if any(news.values()) else read_to)
    by_both, closed = read_by_both(finished(), ends), Closed(looked_at & {*covered})
    whole = {*open_days, *missed, *(covered if full else ()), *({night.date} - {*covered})} & looked_at
    todo = dict[date, Redo | None].fromkeys(whole)
    for day in looked_at & {*validated} - whole:
        redo = _redo(day, validated[day], definitions, touched, closed.since(day, by_both))
        if redo is None or redo:
            todo[day] = redo if day in covered else None
    record_unchanged(touched.untouched, ends)
    record_learned({day: _names(own) for day, own in news.items() if day not in todo})
    return tuple(
        DayPlan(
            Day(day),
            run_id(night, day, ends, definitions),
            before[day]["revision"] + 1 if day in before else 1,
            ends,
            definitions,
            ranges,
            _previous(before[day], day in covered) if day in before else None,
            redo,
            horizon(Day(day), by_both),
        )
        for day, redo in sorted(todo.items())
    )


def _missed(archived: Collection[date], night: Day, before: Collection[date], known: Collection[date]) -> set[date]:
    """Days before the night that have records and were never settled, because no night came: at most MISSED, the oldest.

    History before the first settled day was never a night's: a platform that imports a year of it decides itself what to
    settle (`daybreak backfill`), and `daybreak status --problems` names it.
    """
    first = min(before, default=night.date)
    days = sorted(day for day in archived if first < day < night.date and day not in before and day not in known)
    return {*days[:MISSED]}


def _previous(row: Settled, is_in_force: bool) -> Settlement:
    totals = row["totals"]
    sums = None if totals is None else dict(totals)
    return Settlement(dict(row["definitions"]), sums, is_in_force, dict(row["by_stream"] or {}), row["horizon"])


def run_id(night: Day, day: date, ends: Ends, definitions: Mapping[str, str]) -> str:
    """The night's date, and a hash of all that determines the day's figures: the archive's ends, definitions and the day."""
    identity = f"{sorted(ends.items())}{sorted(definitions.items())}{day}"
    return f"{night}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"


def settlements() -> tuple[dict[date, Settled], dict[date, Settled]]:
    """Rows by day: of the settled days; and of every day's last settlement, in force or withdrawn."""
    now = [row | {"in_force": True} for row in arrow_tables.rows(SETTLEMENTS)]
    past = [row | {"in_force": False} for row in arrow_tables.rows(PAST_SETTLEMENTS)]
    rows = sorted(now + past, key=lambda row: (row["revision"], row["in_force"]))
    return {row["day"]: row for row in rows if row["in_force"]}, {row["day"]: row for row in rows}


def _redo(
    day: date, validated: Settled, definitions: Mapping[str, str], touched: Touched, closed: frozenset[str]
) -> Redo | None:
    """What is done again of a day: the views of another definition, those of which rows have closed, and what newer records
    touch; None: everything."""
    others = differing(dict(validated["definitions"]), definitions)
    if any(map(is_of_events, others)):
        return None
    found = touched.redo(day)
    return Redo(found.views | others | closed, found.topics)


def _learned(definitions: Mapping[str, str], validated: Mapping[date, Settled]) -> dict[date, set[tuple[str, int]]]:
    """Per day the schema versions that came after its settlement and were not looked at yet."""
    known = looked_at_versions()
    news = {day: learned(dict(row["definitions"]), definitions) for day, row in validated.items()}
    return {day: {one for one in own if _names([one])[0] not in known.get(day, ())} for day, own in news.items()}


def _names(versions: Collection[tuple[str, int]]) -> list[str]:
    return [f"{topic}@{version}" for topic, version in versions]


def _unsettled(covered: Collection[date], before: Collection[date]) -> tuple[set[date], dict[date, Settled]]:
    """Unsettled days with an approval request or an earlier settlement: those to be done, and the rejected ones."""
    rows = sorted(arrow_tables.rows(DECISIONS), key=lambda row: row["number"])
    newest = {row["day"]: row for row in rows if row["day"] not in covered}
    rejected = {day: row for day, row in newest.items() if row["decision"] == Decision.REJECTED.value}
    return {*newest, *before} - {*covered, *rejected}, rejected
