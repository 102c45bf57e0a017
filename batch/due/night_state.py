"""How far a night has come with a day, so that each of its steps can be retried alone.

Data flow: truth and reconcile of a day -> reconciliation/state -> the days that a step still has to do
Run: daybreak query "SELECT * FROM reconciliation.state ORDER BY day"
"""

from collections.abc import Collection, Mapping
from datetime import date
from typing import Any, Literal

import pyarrow.compute as pc

from batch.days.day import Day
from batch.days.day_plan import DayPlan
from batch.settlement.settlements import OFFSETS, ends, offsets
from infra.kafka.places import Ends
from infra.lake import arrow_tables
from infra.lake.columns import column, struct
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import replace_days

STATE = Table(
    "reconciliation",
    "state",
    struct(
        column("day", "date", "The day"),
        column("truth", "string", "The run that recomputed it last"),
        column("reconcile", "string", "The run that compared it last"),
        column(
            "unchanged_to",
            OFFSETS,
            "The end of the archive up to which later records are known not to touch the day; null: nothing was looked at yet",
        ),
        column(
            "learned",
            "array<string>",
            "Schema versions that came after its settlement and of which no record touches the day; null: none was looked at",
        ),
        column(
            "views",
            "array<string>",
            "Views that were recomputed, or begun to be, since its last settlement; null: all",
        ),
    ),
    description="How far a night has come with a day: the last run of its truth and of its comparison.",
)
"""How far a night has come with a day: the last run that recomputed its truth, and the last that compared it."""


def is_pending(plan: DayPlan, step: Literal["truth", "reconcile"]) -> bool:
    """Does the plan's day still need `step` in this run?"""
    return not arrow_tables.rows(STATE, ["day"], (pc.field(step) == plan.run) & (pc.field("day") == plan.day.date))


def unchanged_to() -> dict[date, Ends]:
    """Per settled day the end of the archive up to which records behind its settlement are known not to touch it."""
    rows = arrow_tables.rows(STATE, ["day", "unchanged_to"])
    return {row["day"]: ends(row["unchanged_to"]) for row in rows if row["unchanged_to"] is not None}


def record_unchanged(days: Collection[date], read_to: Ends) -> None:
    """Note that no record before `read_to` touches these days, so that the next night does not look at them again."""
    _update({day: {"unchanged_to": offsets(read_to)} for day in days})


def learned() -> dict[date, set[str]]:
    """Per settled day the schema versions (`TOPIC@2`) that came after it and are known not to touch it."""
    return {row["day"]: set(row["learned"] or ()) for row in arrow_tables.rows(STATE, ["day", "learned"])}


def record_learned(days: Mapping[date, Collection[str]]) -> None:
    """Note that no record of these schema versions touches the days, so that the archive is not searched again."""
    before = learned()
    _update({day: {"learned": sorted({*before.get(day, ()), *names})} for day, names in days.items() if names})


def begun(day: Day) -> set[str] | None:
    """The views of the day that were recomputed, or begun to be, since its last settlement; None: all."""
    rows = arrow_tables.rows(STATE, ["views"], pc.field("day") == day.date)
    return {*rows[0]["views"]} if rows and rows[0]["views"] is not None else None


def record_begun(day: Day, views: Collection[str] | None) -> None:
    """Note what is about to be recomputed of the day, before the first of it is written: a run that dies is followed by another,
    which must compare and correct these views too. None: all. An empty collection: the day is settled, nothing is begun."""
    _update({day.date: {"views": None if views is None else sorted(views)}})


def _update(values: Mapping[date, dict[str, Any]]) -> None:
    known = [row for row in arrow_tables.rows(STATE) if row["day"] in values]
    if known:
        rows = [row | values[row["day"]] for row in known]
        replace_days(arrow(rows, STATE.schema), STATE, [row["day"] for row in known])


def record(day: Day, truth_run: str, reconcile_run: str | None) -> None:
    """Write which runs made the day's truth and its reconciliation; None: not reconciled yet. The truth is new, or will be
    settled, so what is known of later records begins anew."""
    views = begun(day)
    row = {"day": day.date, "truth": truth_run, "reconcile": reconcile_run}
    row |= {"views": None if views is None else sorted(views)}
    replace_days(arrow([row], STATE.schema), STATE, [day.date])
