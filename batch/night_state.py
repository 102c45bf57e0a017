"""How far a night has come with a day, so that each of its steps can be retried alone.

Data flow: truth and reconcile of a day -> reconciliation/state -> the days that a step still has to do
Run: daybreak query "SELECT * FROM reconciliation.state ORDER BY day"
"""

from collections.abc import Sequence
from typing import Literal

import pyarrow.compute as pc
from pyspark.sql.types import DateType, StringType, StructField, StructType

from batch.day import Day
from batch.settlement.settlements import Plan
from infra.lake import arrow_tables
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import replace_days

STATE = Table(
    "reconciliation",
    "state",
    StructType(
        [StructField("day", DateType()), StructField("truth", StringType()), StructField("reconcile", StringType())]
    ),
)
"""How far a night has come with a day: the run of its truth and of its reconciliation."""


def behind(todo: Plan, step: Literal["truth", "reconcile"]) -> tuple[Day, ...]:
    """The plan's days that have not come as far as `step` in this very run."""
    done = {row["day"] for row in arrow_tables.rows(STATE, ["day"], pc.field(step) == todo.run)}
    return tuple(day for day in todo.days if day.date not in done)


def mark(days: Sequence[Day], truth_run: str, reconcile_run: str | None) -> None:
    """Write down by which runs the days' truth and reconciliation are; null: not yet."""
    rows = [{"day": day.date, "truth": truth_run, "reconcile": reconcile_run} for day in days]
    replace_days(arrow(rows, STATE.schema), STATE, [day.date for day in days])
