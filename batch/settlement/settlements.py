"""Coverage: which days are settled, by which run, up to which offsets, under which definitions.

Data flow: the night's plan -> reconciliation/settlements, in one commit; what it replaces -> reconciliation/past_settlements
Run: daybreak query "SELECT day, revision, settled_at FROM reconciliation.settlements ORDER BY day"
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

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

from batch.archive import Ends, Ranges
from batch.day import Day
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


@dataclass(frozen=True)
class Plan:
    """What a night has to do: the days, with the revision that each will have, and the archive it stands on.

    `archived`: what it holds. `settled_by`, `settled_totals`: the definitions and the sums with which a day was settled
    before. `replaces`: the days that are settled now.
    """

    run: str
    days: tuple[Day, ...]
    revisions: Mapping[date, int]
    ends: Ends
    definitions: Mapping[str, str]
    archived: Ranges = field(default_factory=dict)
    settled_by: Mapping[date, Mapping[str, str]] = field(default_factory=dict)
    settled_totals: Mapping[date, Mapping[str, int]] = field(default_factory=dict)
    replaces: frozenset[date] = frozenset()


def settle(done: Plan, totals: Mapping[str, int] | None = None) -> None:
    """Write the settlements of every day of the plan in one commit: the moment from which gold serves their truth."""
    _keep(done, "settled")
    shared = {
        "run": done.run,
        "settled_at": datetime.now(UTC),
        "offsets": offsets(done.ends),
        "definitions": list(done.definitions.items()),
        "totals": None if totals is None else sorted(totals.items()),
    }
    rows = [{"day": day.date, "revision": done.revisions[day.date], **shared} for day in done.days]
    replace_days(arrow(rows, SETTLEMENTS.schema), SETTLEMENTS, [day.date for day in done.days])


def withdraw(plan: Plan) -> None:
    """Take the plan's days out of settlements, because their truth is no longer the one that was settled.

    From that commit on gold serves the stream's answer for them. A day that is not settled stays so.
    """
    if plan.replaces:
        _keep(plan, "withdrawn", datetime.now(UTC))
        replace_days(arrow([], SETTLEMENTS.schema), SETTLEMENTS, plan.replaces)


def is_settled(day: Day) -> bool:
    """Is the day's truth what gold serves?"""
    return bool(arrow_tables.rows(SETTLEMENTS, ["day"], pc.field("day") == day.date))


def offsets(ends: Ends) -> list[dict[str, object]]:
    """The archive's ends as rows of OFFSETS."""
    return [{"topic": topic, "partition": number, "to": to} for (topic, number), to in sorted(ends.items())]


def _keep(plan: Plan, why: str, withdrawn_at: datetime | None = None) -> None:
    """Copy the rows that are about to go to past_settlements, once for each reason: a night that was killed may come again."""
    for day in sorted(plan.replaces):
        old = arrow_tables.read(SETTLEMENTS, where=pc.field("day") == day)
        at = pa.array([withdrawn_at] * old.num_rows, pa.timestamp("us", "UTC"))
        append_once(old.append_column("withdrawn_at", at), PAST_SETTLEMENTS, f"{why}/{day}", plan.revisions[day] - 1)
