"""Settlements: which days are settled, by which run, up to which offsets, under which definitions.

Data flow: the night's plan -> reconciliation/settlements, in one commit; the replaced row -> reconciliation/past_settlements
Run: daybreak query "SELECT day, revision, settled_at FROM reconciliation.settlements ORDER BY day"
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    ArrayType,
)

from batch.days.day import Day
from batch.days.day_plan import DayPlan
from infra.kafka.places import Ends
from infra.lake import arrow_tables
from infra.lake.columns import column, struct
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once, replace_days
from streaming.tables.progress import RANGE

OFFSETS = ArrayType(struct(*(field for field in RANGE if field.name != "from")))
"""The end of the archive (one past its last offset), per topic and partition."""

SETTLEMENTS = Table(
    "reconciliation",
    "settlements",
    struct(
        column("day", "date", "The settled day"),
        column("revision", "int", "Number of this settlement of the day, from 1"),
        column("run", "string", "The night that settled it"),
        column("settled_at", "timestamp", "When it was settled (UTC)"),
        column("offsets", OFFSETS, "The end of the archive at the settlement, per topic and partition"),
        column("definitions", "map<string,string>", "Version of each definition by which it was settled"),
        column("totals", "map<string,bigint>", "Settled sum of each measure, by view.measure"),
        column(
            "by_stream",
            "map<string,bigint>",
            "The stream's sum then, of each measure of a view whose rows stay open for days",
        ),
        column(
            "horizon",
            "timestamp",
            "Rows that close then or later were open, and may be corrected (UTC)",
        ),
    ),
    description="One settled day. Gold serves the truth for these days, and the stream's provisional rows elsewhere.",
)
"""One settled day. `totals` and `by_stream`: `view.measure` -> the sum. Rows that are older than a column have null there."""

PAST_SETTLEMENTS = Table(
    "reconciliation",
    "past_settlements",
    struct(
        *SETTLEMENTS.schema.fields,
        column("withdrawn_at", "timestamp", "When it was withdrawn (UTC); null if the next settlement replaced it"),
    ),
    description="A settlement that a later one replaced, or that was withdrawn until a person approves the new figures. "
    "Append-only; together with settlements it is the history of every day.",
)
"""Settlements that a later one replaced, or that were withdrawn until a person approves the new figures; append-only."""


def settle(done: DayPlan, totals: Mapping[str, int] | None = None, by_stream: Mapping[str, int] | None = None) -> None:
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
        "by_stream": sorted((by_stream or {}).items()),
        "horizon": done.horizon,
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


def ends(rows: Iterable[Mapping[str, Any]]) -> Ends:
    """Rows of OFFSETS as the archive's ends."""
    return {(row["topic"], row["partition"]): row["to"] for row in rows}


def _keep(plan: DayPlan, why: str, withdrawn_at: datetime | None = None) -> None:
    """Copy the row that is about to be replaced to past_settlements, once per reason: a retry must not copy it twice."""
    if plan.replaces:
        old = arrow_tables.read(SETTLEMENTS, where=pc.field("day") == plan.day.date)
        at = pa.array([withdrawn_at] * old.num_rows, pa.timestamp("us", "UTC"))
        append_once(old.append_column("withdrawn_at", at), PAST_SETTLEMENTS, f"{why}/{plan.day}", plan.revision - 1)
