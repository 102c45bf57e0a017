"""How far a night has come with a day, so that each of its steps can be retried alone.

Data flow: truth and reconcile of a day -> reconciliation/state -> the days that a step still has to do
Run: daybreak query "SELECT * FROM reconciliation.state ORDER BY day"
"""

from typing import Literal

import pyarrow.compute as pc

from batch.day import Day
from batch.day_plan import DayPlan
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
    ),
    description="How far a night has come with a day: the last run of its truth and of its comparison.",
)
"""How far a night has come with a day: the last run that recomputed its truth, and the last that compared it."""


def is_pending(plan: DayPlan, step: Literal["truth", "reconcile"]) -> bool:
    """Does the plan's day still need `step` in this run?"""
    return not arrow_tables.rows(STATE, ["day"], (pc.field(step) == plan.run) & (pc.field("day") == plan.day.date))


def record(day: Day, truth_run: str, reconcile_run: str | None) -> None:
    """Write which runs made the day's truth and its reconciliation; None: not reconciled yet."""
    row = {"day": day.date, "truth": truth_run, "reconcile": reconcile_run}
    replace_days(arrow([row], STATE.schema), STATE, [day.date])
