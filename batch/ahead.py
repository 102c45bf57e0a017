"""Ahead: the rest of the night, by the driver that has just filled the archive, so that its tasks need none of their own.

Data flow: the plan of a night -> its days settled or asked about, the curve drawn -> what is done, for Airflow
Run: python -m batch archive --date 2026-01-31 --ahead --report night.json

A driver's start costs more than a small day. What is not done here, because it failed or took too long, is left to the
task whose work it is: that one has its own driver, retries and exit code.
"""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession

from batch.corrections.publish import publish
from batch.day import Day
from batch.day_plan import DayPlan
from batch.driver import lease, say
from batch.due import plans
from batch.maintenance import draw
from batch.night import Step, advance_all
from batch.settlement.approval_request import as_json, in_words
from batch.tables import night_tables
from batch.upkeep import tidy_if_due
from infra.failures import PermanentFailure, TransientFailure

SECONDS = 2400
"""No day is begun later than this: a task may run for two hours, and a night that redoes all history takes longer."""


def ahead(
    own: SparkSession, night: Day, versions: Mapping[str, str], full: bool, todo: Sequence[DayPlan]
) -> dict[str, Any]:
    """Do what comes behind the archive, under a lease per day.

    Gives `done`: the days that are brought to their end, each with its open questions; `drawn`: is the curve drawn?
    """
    begun = time.monotonic()
    done: dict[str, Any] = {}
    for day in (plan.day for plan in todo):
        if time.monotonic() - begun > SECONDS:
            say(f"{day} and what comes after it are left to their own tasks: {SECONDS} s are over")
            break
        try:
            with lease():
                questions = advance_all(own, plans(own, night, versions, full, day), Step.CORRECT, full)
                say(f"publish: {publish(own)} corrections")
        except (PermanentFailure, TransientFailure) as failure:
            # Its own task does it again, and ends with the same sentence and its exit code.
            say(f"{day} is left to its own task: {failure}")
            continue
        for question in questions:
            say(in_words(question))
        done[str(day)] = json.loads(as_json(questions))
    drawn = len(done) == len(todo) and _drawn(own, night, versions)
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
