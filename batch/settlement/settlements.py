"""Coverage: which days are settled, by which run, up to which offsets, under which definitions.

Data flow: the night's plan -> reconciliation/settlements, in one commit; what it replaces -> reconciliation/past_settlements
Run: daybreak query "SELECT day, revision, settled_at FROM reconciliation.settlements ORDER BY day"
"""

from collections.abc import Mapping
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    ArrayType,
    DateType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from batch.archive import Ends
from batch.day import Day
from batch.day_plan import DayPlan
from infra.lake import arrow_tables
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once, replace_days

OFFSETS = ArrayType(
    StructType(
        [StructField("topic", StringType()), StructField("partition", IntegerType()), StructField("to", LongType())]
    )
)
"""The end of what the archive held, per topic and partition."""

SETTLEMENTS = Table(
    "reconciliation",
    "settlements",
    StructType(
        [
            StructField("day", DateType()),
            StructField("revision", IntegerType()),
            StructField("run", StringType()),
            StructField("settled_at", TimestampType()),
            StructField("offsets", OFFSETS),
            StructField("definitions", MapType(StringType(), StringType())),
            StructField("totals", MapType(StringType(), LongType())),
        ]
    ),
)
"""One settled day. `totals`: `view.measure` -> its sum as settled; null in rows of a lake older than the column."""

PAST_SETTLEMENTS = Table(
    "reconciliation",
    "past_settlements",
    StructType([*SETTLEMENTS.schema.fields, StructField("withdrawn_at", TimestampType())]),
)
"""The settlements that a later one has replaced, or that were withdrawn because a person has to decide; append-only."""


def settle(done: DayPlan, totals: Mapping[str, int] | None = None) -> None:
    """Write the day's settlement: the commit from which on gold serves its truth."""
    _keep(done, "settled")
    row = {
        "day": done.day.date,
        "revision": done.revision,
        "run": done.run,
        "settled_at": datetime.now(UTC),
        "offsets": offsets(done.ends),
        "definitions": list(done.definitions.items()),
        "totals": None if totals is None else sorted(totals.items()),
    }
    replace_days(arrow([row], SETTLEMENTS.schema), SETTLEMENTS, [done.day.date])


def withdraw(plan: DayPlan) -> None:
    """Take the plan's day out of the settlements, because its truth is no longer the one that was settled.

    From that commit on gold serves the stream's answer for it. A day that is not settled stays so.
    """
    if plan.replaces:
        _keep(plan, "withdrawn", datetime.now(UTC))
        replace_days(arrow([], SETTLEMENTS.schema), SETTLEMENTS, [plan.day.date])


def is_settled(day: Day) -> bool:
    """Is the day's truth what gold serves?"""
    return bool(arrow_tables.rows(SETTLEMENTS, ["day"], pc.field("day") == day.date))


def offsets(ends: Ends) -> list[dict[str, object]]:
    """The archive's ends as rows of OFFSETS."""
    return [{"topic": topic, "partition": number, "to": to} for (topic, number), to in sorted(ends.items())]


def _keep(plan: DayPlan, why: str, withdrawn_at: datetime | None = None) -> None:
    """Copy the row that is about to go to past_settlements, once for each reason: a night that was killed may come again."""
    if plan.replaces:
        old = arrow_tables.read(SETTLEMENTS, where=pc.field("day") == plan.day.date)
        at = pa.array([withdrawn_at] * old.num_rows, pa.timestamp("us", "UTC"))
        append_once(old.append_column("withdrawn_at", at), PAST_SETTLEMENTS, f"{why}/{plan.day}", plan.revision - 1)
