"""Settle a day if its correction is within the approval threshold; else hold it back and request an approval.

Data flow: summary, decisions -> threshold -> corrections and settlements, or a request in reconciliation/decisions
Run: python -m batch correct --date 2026-01-31
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import SparkSession

from batch.corrections.ledger import correct
from batch.days.day import Day
from batch.days.day_plan import DayPlan
from batch.reconciliation.differences import SUMMARY
from batch.settlement.decisions import Decision, LastDecision, newest, request
from batch.settlement.settlements import withdraw
from batch.settlement.threshold import Correction, by_stream, figures, limits, over_threshold, share, totals, waterfall
from infra.failpoints import point
from infra.lake import arrow_tables
from infra.settings import settings
from streaming.views import VIEWS
from streaming.views.view import View


@dataclass(frozen=True)
class ApprovalRequest:
    """A day that is held back because its correction is over the threshold.

    `last`: the newest decision about exactly these figures; None if the approval has just been requested.
    """

    day: Day
    run: str
    figures: str
    over_threshold: tuple[Correction, ...]
    body: str
    last: LastDecision | None

    @property
    def is_open(self) -> bool:
        """Does it wait for an answer? False: these figures were rejected."""
        return self.last is None or self.last.decision is Decision.REQUESTED

    def __str__(self) -> str:
        found = "; ".join(
            f"{one.measure} of {one.view} from {one.before:,} to {one.truth:,}, {_percent(one)} of the truth, and the "
            f"threshold is {(100 * one.threshold).normalize():f} %"
            for one in self.over_threshold[:3]
        )
        more = f"; and {len(self.over_threshold) - 3} more" if len(self.over_threshold) > 3 else ""
        return f"{self.day} would be corrected by more than its approval threshold: {found}{more}"


def settle_day(session: SparkSession, plan: DayPlan, views: Iterable[View] | None = None) -> ApprovalRequest | None:
    """Correct and settle the plan's day; or, if its correction is over the threshold, return the request it waits for.

    `views`: those that were compared anew; None: all.

    An approval of exactly these figures settles the day. Until then, and after a rejection, it is not in settlements.
    """
    day, previous = plan.day, plan.previous
    found = summary(day)
    s = settings()
    over = over_threshold(found, previous, limits(s.approval_threshold, VIEWS), s.approval_min_rows)
    if over:
        hashed, last = figures(found), newest(day)
        same = last if last and last.figures == hashed else None
        if same is None or same.decision is not Decision.APPROVED:
            # Withdraw first: truth no longer equals the settlement. If the process dies here, the next night sends the request.
            withdraw(plan)
            point("correct.before-asking")
            if same is None:
                request(plan, hashed, over[0], last)
            return ApprovalRequest(day, plan.run, hashed, tuple(over), waterfall(found), same)
    correct(session, plan, views, totals(found), by_stream(found))
    return None


def summary(day: Day) -> list[dict[str, Any]]:
    """The day's rows of reconciliation/summary, as its reconciliation has just written them."""
    return arrow_tables.rows(SUMMARY, where=pc.field("day") == day.date)


def _percent(one: Correction) -> str:
    return f"{100 * share(one.amount, one.truth):,.1f} %" if one.truth else "an infinite share"
