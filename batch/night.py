"""The night: archive, truth, reconcile, correct. Every step brings its days up to itself, so each can be retried alone.

Data flow: Kafka -> archive -> plan -> truth -> reconcile -> correct -> settlements
Run: python -m batch night --date 2026-01-31
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from batch.archive import archive as archive_log
from batch.conservation.check import conserve, marks
from batch.corrections.publish import publish as publish_corrections
from batch.day import Day, names
from batch.driver import create_tables, lease, refuse_without_stream, say, session, versions
from batch.due import plans
from batch.night_state import behind, mark
from batch.reconciliation.reconcile import reconcile as reconcile_days
from batch.settlement.approval_request import as_json, refuse, told
from batch.settlement.settle import ApprovalRequest, settle_day
from batch.settlement.settlements import Plan
from batch.truth import Decided
from batch.truth import truth as truth_of_days
from batch.tuning import suit
from infra.failures import PermanentFailure
from streaming.log import log_now


class Step(StrEnum):
    """A nightly step, in order; each includes what of the earlier ones is missing for its days."""

    ARCHIVE = "archive"
    TRUTH = "truth"
    RECONCILE = "reconcile"
    CORRECT = "correct"


PUBLISHING = (Step.ARCHIVE, Step.CORRECT)
"""Behind these steps the corrections go out: at the beginning of a night what the last one left, at its end its own.

The archive is first all the same: what Kafka's retention takes before it is read is lost, and the ledger loses nothing.
"""


Ahead = Callable[[SparkSession, Day, Mapping[str, str], bool, Sequence[Plan]], dict[str, Any]]
"""What is done behind the archive by the same driver: session, night, definitions, full, plan -> what is done."""


def night(
    day: Day,
    steps: Sequence[Step],
    full: bool = False,
    only: Day | None = None,
    report: Path | None = None,
    ahead: Ahead | None = None,
) -> None:
    """Run steps for a day, and for the days that new arrivals or definitions have touched; with `only` for one of them.

    Each step holds the night's lease; between two steps another night may come in, and finds every day consistent.
    `report` is a file for whoever started the step, as JSON: behind the archive the days of the plan, behind the
    correction the questions that a person has to answer; `ahead` then does what else the plan asks for, and its findings
    are added. Without it an open question is a PermanentFailure, once all
    other days are settled.
    """
    if day.end > datetime.now(UTC):
        raise PermanentFailure(f"{day} is not over yet: a night recomputes whole days (UTC)")
    own = session()
    with lease():
        create_tables(own)
        refuse_without_stream(own)
    in_force = versions(own)
    anew, questions, todo = full, list[ApprovalRequest](), tuple[Plan, ...]()
    for step in steps:
        with lease():
            if step is Step.ARCHIVE:
                say(f"{step}: {_archive(own, day)}")
            else:
                # What is to be redone though nothing has changed is redone once, by the first step that computes.
                questions = advance_all(own, plans(own, day, in_force, full, only), step, anew)
                anew = False
            if step in PUBLISHING:
                say(f"publish: {publish_corrections(own)} corrections")
            todo = plans(own, day, in_force, full, only) if report and step is Step.ARCHIVE else todo
        if report and step is Step.ARCHIVE:
            more = ahead(own, day, in_force, full, todo) if ahead else {}
            report.write_text(json.dumps({"days": [str(one) for plan in todo for one in plan.days], **more}))
    own.stop()
    for question in questions:
        say(told(question))
    if report and Step.CORRECT in steps:
        report.write_text(as_json(questions))
    elif not report:
        refuse(questions)


def _archive(own: SparkSession, day: Day) -> str:
    log, known = log_now(), marks(own)
    read = archive_log(own, log, known.read_to)
    return f"{read} offsets read, {conserve(own, day, log, known)} conserved"


def advance_all(own: SparkSession, todo: Sequence[Plan], step: Step, anew: bool = False) -> list[ApprovalRequest]:
    """Bring every plan's day up to a step, one after the other; the questions about days that are not settled."""
    done: list[Day] = []
    questions: list[ApprovalRequest] = []
    for plan in todo:
        question, did = advance(own, plan, step, anew)
        questions += [question] if question else []
        done += did
    say(f"{step}: {names(done)}")
    return questions


def advance(
    own: SparkSession, plan: Plan, step: Step, anew: bool = False
) -> tuple[ApprovalRequest | None, tuple[Day, ...]]:
    """Bring a plan's day up to a step, and say what keeps it from being settled, and which day was worked on.

    What this very run has done already is left alone, unless it is to be done `anew`.
    """
    suit(own, plan.days[0])
    known = Decided(own)
    try:
        did = plan.days if anew else behind(plan, "truth")
        if did:
            truth_of_days(own, did, plan.run, dict(plan.definitions), known)
            mark(did, plan.run, None)
        if step is Step.TRUTH:
            return None, did
        did = behind(plan, "reconcile")
        if did:
            reconcile_days(own, plan, did, known)
            mark(did, plan.run, plan.run)
        if step is Step.RECONCILE:
            return None, did
    finally:
        known.release()
    question = settle_day(own, plan)
    return question, () if question else plan.days
