"""The night: archive, truth, reconcile, correct. A step also does what is missing of earlier ones, so each can run alone.

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

from batch.archive.events import SOURCE as OF_ARCHIVE
from batch.archive.events import archive as archive_log
from batch.archive.tuning import suit, suit_number
from batch.conservation import read_twice
from batch.conservation.check import SOURCE as OF_CONSERVATION
from batch.conservation.check import conserve, marks
from batch.conservation.gaps import begin
from batch.corrections.publish import publish as publish_corrections
from batch.days.day import Day, names
from batch.days.day_plan import DayPlan
from batch.due.night_state import is_pending, record
from batch.due.plans import plans, settlements
from batch.due.redone import Redone
from batch.lineage import start as lineage
from batch.night.approval_request import as_json, in_words, refuse
from batch.night.driver import create_tables, lease, refuse_without_stream, say, session
from batch.night.failed_nights import checked, decided, over, waits
from batch.night.settle import ApprovalRequest, settle_day
from batch.reconciliation.reconcile import reconcile as reconcile_day
from batch.truth.recompute import Decided
from batch.truth.recompute import truth as truth_of_day
from infra import logs
from infra.failures import PermanentFailure
from streaming.positions import topic_settings
from streaming.positions.log import log_now
from streaming.versions.definition_cache import known_definitions


class Step(StrEnum):
    """A nightly step, in order; each step also does what its days lack of the earlier steps."""

    ARCHIVE = "archive"
    TRUTH = "truth"
    RECONCILE = "reconcile"
    CORRECT = "correct"


PUBLISHING = (Step.ARCHIVE, Step.CORRECT)
"""After these steps the corrections are sent: first those that the last night could not send, at the end the night's own.

The archive still comes first: records that Kafka's retention removes unread are lost, and the ledger loses nothing.
"""


Ahead = Callable[[SparkSession, Day, Mapping[str, str], bool, Sequence[DayPlan], Day], dict[str, Any]]
"""Work that the same driver does after the archive: (session, night, definitions, full, plans, last night) -> what was done."""


def night(
    day: Day,
    steps: Sequence[Step],
    full: bool = False,
    only: Day | None = None,
    report: Path | None = None,
    ahead: Ahead | None = None,
    until: Day | None = None,
) -> None:
    """Run steps for a day, and for the days that new arrivals or definitions have touched; with `only` for one of them.

    Each step holds the night's lease. Between two steps another night may run; it finds every day consistent. `report` is a
    JSON file for the caller: after the archive it holds the days of the plan and what `ahead` returned for them and for the
    nights up to `until`; after the correction, the open approval requests. Without `report` an open request raises
    PermanentFailure, once all other days are settled.
    """
    logs.at(f"night/{day}")
    last = until or day
    if max(day, last).end > datetime.now(UTC):
        raise PermanentFailure(
            f"{max(day, last)} is not over yet, and a night recomputes whole days (UTC): choose an earlier day"
        )
    with lineage.of_night(day):
        requests = _work(day, steps, full, only, report, ahead, last)
    for request in requests:
        say(in_words(request))
    if report and Step.CORRECT in steps:
        report.write_text(as_json(requests))
    elif not report:
        refuse(requests)


def _work(
    day: Day, steps: Sequence[Step], full: bool, only: Day | None, report: Path | None, ahead: Ahead | None, last: Day
) -> list[ApprovalRequest]:
    own = session()
    with lease():
        create_tables(own)
        refuse_without_stream()
    in_force = known_definitions(own)
    lineage.know(own, in_force)
    anew, requests, todo = full, list[ApprovalRequest](), tuple[DayPlan, ...]()
    for step in steps:
        with lease():
            if step is Step.ARCHIVE:
                say(f"{step}: {_archive(own, day)}")
            else:
                # With `full`, truth is recomputed once: by the first step that computes.
                requests = advance_all(own, plans(own, day, in_force, full, only), step, anew)
                anew = False
            if step is Step.CORRECT:
                over({one: row["settled_at"] for one, row in settlements()[0].items()})
            if step in PUBLISHING:
                say(f"publish: {publish_corrections(own)} corrections")
            todo = plans(own, day, in_force, full, only) if report and step is Step.ARCHIVE else todo
        if report and step is Step.ARCHIVE:
            more = ahead(own, day, in_force, full, todo, last) if ahead else {}
            report.write_text(json.dumps({"days": [str(plan.day) for plan in todo], **more}))
    own.stop()
    return requests


def _archive(own: SparkSession, day: Day) -> str:
    topic_settings.look()
    log, known = log_now(), marks(own)
    begin(own, known, log)
    read_to = known.read_to
    suit_number(own, sum(end - read_to.get(at, log.first[at]) for at, end in log.end.items()))
    with checked("archive", day, source=OF_ARCHIVE), lineage.step("archive"):
        read = archive_log(own, log, read_to)
    with checked("conservation", day, source=OF_CONSERVATION), read_twice.named(), lineage.step("conservation"):
        counted = conserve(own, day, log, known)
    return f"{read} offsets read, {counted} conserved"


def advance_all(own: SparkSession, todo: Sequence[DayPlan], step: Step, anew: bool = False) -> list[ApprovalRequest]:
    """Bring every plan's day up to a step, one after the other; returns the approval requests of days not settled."""
    done: list[Day] = []
    requests: list[ApprovalRequest] = []
    for plan in todo:
        request, worked = advance(own, plan, step, anew)
        requests += [request] if request else []
        done += [plan.day] if worked else []
    say(f"{step}: {names(done)}")
    return requests


def advance(
    own: SparkSession, plan: DayPlan, step: Step, anew: bool = False, kept: Decided | None = None
) -> tuple[ApprovalRequest | None, bool]:
    """Bring a plan's day up to a step; returns the approval request that holds it back, and whether there was work to do.

    Work that this run (by its id) has already done is not repeated, unless `anew` is set. `kept`: the caller's cache of the day's
    validated records, for a caller that takes the steps one by one and releases it.
    """
    suit(own, plan.day)
    again = Redone(own, plan)
    known = kept or Decided(own, again.needs)
    try:
        worked = anew or is_pending(plan, "truth")
        if worked:
            with checked("truth", plan.day, plan.day), lineage.step("truth", plan.day, plan.run):
                truth_of_day(own, plan.day, plan.run, dict(plan.definitions), known, again.begin)
            record(plan.day, plan.run, None)
        if step is Step.TRUTH:
            return None, worked
        worked = is_pending(plan, "reconcile")
        if worked:
            with checked("reconcile", plan.day, plan.day), lineage.step("reconcile", plan.day, plan.run):
                reconcile_day(own, plan, known, again.views)
            record(plan.day, plan.run, plan.run)
        if step is Step.RECONCILE:
            return None, worked
    finally:
        if kept is None:
            known.release()
    with lineage.step("correct", plan.day, plan.run):
        request = settle_day(own, plan, again.views)
    if request and request.is_open:
        waits(plan.day, str(request))
    else:
        decided(plan.day)
    if request is None:
        again.end()
    return request, request is None
