"""Decisions: the requests to approve a day's correction, and their answers.

Data flow: settle's requests, answers of `decide` -> reconciliation/decisions, append-only
Run: daybreak query "SELECT day, decision, decided_by, note FROM reconciliation.decisions ORDER BY day, number"
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

import pyarrow.compute as pc
from pyspark.sql.types import (
    DecimalType,
)

from batch.days.day import Day
from batch.days.day_plan import DayPlan
from batch.settlement.settlements import OFFSETS, offsets
from batch.settlement.threshold import LARGEST, ROUNDED, Correction, share
from infra.lake import arrow_tables
from infra.lake.columns import column, struct
from infra.lake.rows import arrow
from infra.lake.tables import Table
from infra.lake.writes import append_once


class Decision(StrEnum):
    """The state of a day whose correction is over its approval threshold."""

    REQUESTED = "requested"
    APPROVED = "approved"
    REJECTED = "rejected"


DECISIONS = Table(
    "reconciliation",
    "decisions",
    struct(
        column("day", "date", "The day"),
        column("number", "int", "Which request or answer of the day, from 1; the largest is the last"),
        column("decision", "string", "requested, approved or rejected"),
        column("run", "string", "The run that computed the figures"),
        column("figures", "string", "Hash of the day's summary; an approval is for these figures only"),
        column("decided_by", "string", "Who answered; null for a request"),
        column("decided_at", "timestamp", "When it was requested or answered (UTC)"),
        column("note", "string", "The reason given with the answer; null for a request"),
        column("view", "string", "The view that is farthest over its approval threshold"),
        column("measure", "string", "The measure of that view that is farthest over it"),
        column("before", "bigint", "The measure's sum before: that of the last settlement, else the stream's"),
        column("truth", "bigint", "The sum in the truth"),
        column("share", DecimalType(18, 4), "The correction as a share of the truth"),
        column("threshold", DecimalType(18, 4), "The share up to which a correction needs no approval"),
        column("offsets", OFFSETS, "The end of the archive, per topic and partition, when the figures were computed"),
        column("definitions", "map<string,string>", "Version of each definition that computed the figures"),
    ),
    description="A request to approve a day whose correction is over its approval threshold, or the answer to it. If a day is "
    "not in settlements, its newest row here says why: requested (it waits for an answer) or rejected. Append-only.",
)
"""One request or answer; `number` counts those of a day, from 1.

An answer is for the figures of the request (`figures`, a hash of the day's summary), not for the day: other figures need a
new approval. `view` to `threshold` describe the measure that is farthest over its threshold.
"""


@dataclass(frozen=True)
class LastDecision:
    """The newest decision about a day."""

    number: int
    decision: Decision
    run: str
    figures: str
    decided_by: str | None


def newest(day: Day) -> LastDecision | None:
    """The newest decision about the day; None if none was ever requested."""
    rows = arrow_tables.rows(DECISIONS, where=pc.field("day") == day.date)
    if not rows:
        return None
    last = max(rows, key=lambda row: row["number"])
    return LastDecision(last["number"], Decision(last["decision"]), last["run"], last["figures"], last["decided_by"])


def request(plan: DayPlan, figures: str, largest: Correction, last: LastDecision | None) -> None:
    """Store an approval request for the plan's day."""
    day = plan.day
    number = last.number + 1 if last else 1
    row = {
        "day": day.date,
        "number": number,
        "decision": Decision.REQUESTED.value,
        "run": plan.run,
        "figures": figures,
        "decided_at": datetime.now(UTC),
        "view": largest.view,
        "measure": largest.measure,
        "before": largest.before,
        "truth": largest.truth,
        "share": share(largest.amount, largest.truth),
        "threshold": min(LARGEST, largest.threshold).quantize(ROUNDED),
        "offsets": offsets(plan.ends),
        "definitions": list(plan.definitions.items()),
    }
    append_once(arrow([row], DECISIONS.schema), DECISIONS, f"decisions/{day}", number)


def answer(day: Day, last: LastDecision, decision: Decision, by: str, note: str) -> None:
    """Store the answer to the day's last request, with the figures of that request."""
    number = last.number + 1
    (open_request,) = arrow_tables.rows(
        DECISIONS, where=(pc.field("day") == day.date) & (pc.field("number") == last.number)
    )
    answered = {
        "number": number,
        "decision": decision.value,
        "decided_by": by,
        "decided_at": datetime.now(UTC),
        "note": note,
        "definitions": list(open_request["definitions"].items()),
    }
    append_once(arrow([open_request | answered], DECISIONS.schema), DECISIONS, f"decisions/{day}", number)
