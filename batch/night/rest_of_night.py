"""Ahead: the driver that filled the archive also does the rest of the night, so that later tasks start no driver.

Data flow: the plan of a night -> its days settled or an approval requested, the curve drawn -> what is done, for Airflow
Run: python -m batch archive --date 2026-01-31 --ahead --report night.json

To start a driver takes longer than to recompute a small day. So in a backfill it also does the days of the next nights
(`--until`), which then start none either. Work that failed here, or would begin too late, is left to its own task, which has
its own driver, retries and exit code.
"""

import json
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from pyspark.sql import SparkSession

from batch.corrections.publish import publish
from batch.days.day import Day
from batch.days.day_plan import DayPlan
from batch.due.plans import plans
from batch.night.all_tables import night_tables
from batch.night.approval_request import as_json, in_words
from batch.night.driver import lease, say
from batch.night.maintenance import draw
from batch.night.steps import Step, advance_all
from batch.night.upkeep import tidy_if_due
from infra.failures import PermanentFailure, TransientFailure

SECONDS = 2400
"""No day is begun after so many seconds: a task may run for two hours, and redoing all history can take longer."""


def ahead(
    own: SparkSession, night: Day, versions: Mapping[str, str], full: bool, todo: Sequence[DayPlan], until: Day
) -> dict[str, Any]:
    """Do the night's work after the archive, holding the lease for one day at a time; then that of the nights up to `until`.

    Returns `done`: the finished days, each with its open approval requests; `drawn`: is the curve of all drawn?
    """
    begun = time.monotonic()
    done: dict[str, Any] = {}
    later = (Day(night.date + timedelta(days=n + 1)) for n in range((until.date - night.date).days))
    days = list(dict.fromkeys([*(plan.day for plan in todo), *later]))
    for day in days:
        if time.monotonic() - begun > SECONDS:
            say(f"{day} and later days are left to their own tasks: this one has run for more than {SECONDS} s")
            break
        try:
            with lease():
                requests = advance_all(own, plans(own, max(night, day), versions, full, day), Step.CORRECT, full)
                say(f"publish: {publish(own)} corrections")
        except (PermanentFailure, TransientFailure) as failure:
            # The day's own task tries again; if it fails too, it ends with the same message and the right exit code.
            say(f"{day} is left to its own task: {failure}")
            continue
        for request in requests:
            say(in_words(request))
        done[str(day)] = json.loads(as_json(requests))
    drawn = len(done) == len(days) and _drawn(own, night, versions)
    with lease():
        tidy_if_due(night_tables())
    return {"done": done, "drawn": drawn}


def _drawn(own: SparkSession, night: Day, versions: Mapping[str, str]) -> bool:
    try:
        with lease():
            draw(own, night, versions)
    except (PermanentFailure, TransientFailure) as failure:
        say(f"the curve is left to its own task: {failure}")
        return False
    return True
