"""Decide: store a person's approval or rejection of a day whose correction is over its approval threshold.

Data flow: the last request in reconciliation/decisions, an answer -> decisions; if approved -> corrections, settlements, curve
Run: daybreak decide --date 2026-01-31 --approve --note "the stream was down at noon"
"""

from pyspark.sql import SparkSession

from batch.corrections.publish import publish
from batch.curve.curve import curve as curve_of_days
from batch.days.day import Day, names, parse
from batch.due.plans import plans
from batch.night.approval_request import refuse
from batch.night.driver import create_tables, lease, refuse_without_stream, say, session
from batch.night.failed_nights import decided
from batch.night.steps import Step, advance
from batch.settlement.decisions import Decision, LastDecision, answer, newest
from batch.settlement.settlements import is_settled
from infra.failures import PermanentFailure
from streaming.versions.definition_cache import known_definitions


def decide(day: Day, decision: Decision, by: str, note: str, figures: str | None = None) -> None:
    """Store the answer. An approval settles the day if its figures are still those of the request.

    `figures`: hash of the figures that the person saw, if known. Raises PermanentFailure if no approval was requested, if a
    newer request has other figures, or if a settled day is to be rejected.
    """
    own = session()
    with lease():
        create_tables(own)
        refuse_without_stream()
        last, settled = newest(day), is_settled(day)
        last = answerable(last, settled, day, decision, figures)
        if settled:
            say(f"{day} is settled already")
            return own.stop()
        if last.decision is not decision:
            answer(day, last, decision, by, note)
        if decision is Decision.REJECTED:
            decided(day)
            say(f"rejected: {day} stays provisional")
        else:
            _settle(own, day, last)
    own.stop()
    return None


def answerable(
    last: LastDecision | None, settled: bool, day: Day, decision: Decision, figures: str | None
) -> LastDecision:
    """The newest decision about a day, if it can be answered. An answer can be changed until the day is settled."""
    if last is None:
        raise PermanentFailure(
            f"no approval was requested for {day}: see the open requests with daybreak query "
            '"SELECT day, decision FROM reconciliation.decisions ORDER BY day, number"'
        )
    if settled and decision is Decision.REJECTED:
        raise PermanentFailure(
            f"{day} is settled already, so it can no longer be rejected: a decision cannot undo that"
        )
    if figures and figures != last.figures and not settled:
        raise PermanentFailure(
            f"the figures of {day} have changed since the approval was requested: they were {figures}, and the new request is "
            f"for {last.figures}. Look at the new figures (daybreak reconciliation --from {day} --to {day}), and answer again."
        )
    return last


def _settle(own: SparkSession, day: Day, last: LastDecision) -> None:
    """Settle the approved day. Raises PermanentFailure if its figures have changed; then a new approval was requested."""
    in_force = known_definitions(own)
    # Plan as the night of the request did: the run id is then the same, and nothing is computed again.
    for plan in plans(own, parse(last.run[:10]), in_force, only=day):
        request, _ = advance(own, plan, Step.CORRECT)
        refuse([request] if request else [])
        say(f"approved: {day} is settled, revision {plan.revision}")
    say(f"publish: {publish(own)} corrections")
    say(f"curve: {names(curve_of_days(own, day, in_force))}")
