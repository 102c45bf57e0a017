"""What becomes of cases in the stream's tables and in the night's, and by an account that is kept by hand.

Data flow: validated cases -> bronze, silver, quarantine; cases -> archive -> the night's outcomes; Verdicts -> the account
Run: pytest tests/streaming/test_fuzz.py
"""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta

import pyarrow as pa
import pyarrow.compute as pc
from fuzz.case import Case
from fuzz.judge import judged
from fuzz.ways import ARRIVAL, records
from pyspark.sql import Column, SparkSession

from batch.archive.events import ARCHIVE, with_envelope
from batch.days.day import Day
from batch.truth.history import is_history
from batch.truth.reach import Reach
from batch.truth.recompute import decided
from infra.lake import arrow_tables, spark_tables
from infra.lake.writes import append_once
from streaming.contracts import CONTRACTS
from streaming.deduplication.event_ids import nothing_known
from streaming.micro_batch import outcomes as rows_of
from streaming.quarantine.rejections import Rejections
from streaming.reasons import Outcome
from streaming.tables.bronze import BRONZE
from streaming.tables.silver import QUARANTINE, SILVER
from streaming.versions.definitions import of_topic

STAMP = {"batch_id": 0, "generation": "fuzz"}
Outcomes = dict[int, str]
"""By the number of a case."""


def by_hand(cases: Sequence[Case]) -> Outcomes:
    """The first valid arrival of an id is accepted; a later one is a duplicate or a conflict. All arrive at once, by topic."""
    found: Outcomes = {}
    first: dict[str, str] = {}
    for place, case in sorted(enumerate(cases), key=lambda one: (one[1].topic, one[0])):
        event = judged(case).event
        if event is None:
            found[place] = Outcome.REJECTED.value
            continue
        said = json.dumps([case.topic, event], sort_keys=True)
        known = first.get(event["event_id"])
        first.setdefault(event["event_id"], said)
        repeated = Outcome.DUPLICATE if known == said else Outcome.CONFLICT
        found[place] = (Outcome.ACCEPTED if known is None else repeated).value
    return found


def of_stream(validated: pa.Table) -> Outcomes:
    """The stream's own steps of one micro-batch, into tables of the lake."""
    rows = rows_of.in_order(validated)
    arrived = rows_of.valid(rows)
    outcome = rows_of.outcomes(rows, arrived, nothing_known(arrived))
    definitions = {of_topic(topic): "d" for topic in CONTRACTS}
    written = {
        BRONZE: rows_of.bronze_rows(rows, STAMP),
        SILVER: rows_of.silver_rows(rows, outcome, definitions, None, STAMP),
        QUARANTINE: rows_of.quarantine_rows(rows, outcome, STAMP),
    }
    for table, own in written.items():
        append_once(own, table, "fuzz", 0)
    Rejections(0.5).count(rows, written[QUARANTINE])
    return dict(zip(rows["offset"].to_pylist(), outcome.to_pylist(), strict=True))


def lost(cases: Sequence[Case], outcome: Outcomes) -> list[tuple[str, Case]]:
    """Cases that are not in the tables as their outcome says, or not with their own bytes."""
    tables = {table: arrow_tables.read(table) for table in (BRONZE, SILVER, QUARANTINE)}
    bronze = {row["offset"]: row for row in tables[BRONZE].select(["topic", "offset", "key", "value"]).to_pylist()}
    silver, refused = (Counter(tables[table]["offset"].to_pylist()) for table in (SILVER, QUARANTINE))
    kept = {row["offset"]: row for row in tables[QUARANTINE].select(["offset", "value", "reasons"]).to_pylist()}
    found = []
    for place, case in enumerate(cases):
        told = outcome[place]
        row = bronze.pop(place)
        if (row["topic"], row["key"], row["value"]) != (case.topic, case.key, case.value):
            found.append(("bronze has other bytes", case))
        is_refused = told in (Outcome.REJECTED, Outcome.CONFLICT)
        if (silver[place], refused[place]) != (told == Outcome.ACCEPTED, is_refused):
            found.append((f"{told}, and {silver[place]} times in silver, {refused[place]} times in quarantine", case))
        own = kept.get(place, {"value": None, "reasons": None})
        if is_refused and (own["value"] != case.value or not own["reasons"]):
            found.append(("quarantine has other bytes, or no reason", case))
    assert not bronze
    return found


class EveryDay(Reach):
    """A reach of all days in which an event may be."""

    def days(self, day: Day) -> set[date]:
        return {day.date + timedelta(days=n) for n in range(-369, 3)}

    def near(self, day: Day, time: Column) -> Column:
        around = day.around(timedelta(days=368), timedelta(days=2))
        return around.holds(time) | is_history(around.start)


def of_night(spark: SparkSession, cases: Sequence[Case]) -> Outcomes:
    """What a night finds in the archive, in all days in which an event may be."""
    spark_tables.create(spark, ARCHIVE)
    append_once(with_envelope(records(spark, cases)), ARCHIVE, "fuzz", 0)
    rows = decided(spark, Day(ARRIVAL.date()), EveryDay((), whole=True)).select("offset", "outcome").toArrow()
    assert pc.count_distinct(rows["offset"]).as_py() == rows.num_rows
    return dict(zip(rows["offset"].to_pylist(), rows["outcome"].to_pylist(), strict=True))


def misplaced(cases: Sequence[Case]) -> list[tuple[str, Case]]:
    """Valid events that the archive does not have under their own id and time, by which nights find them."""
    rows = {
        row["offset"]: row
        for row in arrow_tables.read(ARCHIVE).select(["offset", "event_id", "event_time"]).to_pylist()
    }
    found = []
    for place, case in enumerate(cases):
        event, row = judged(case).event, rows[place]
        if event is None:
            continue
        at = None if row["event_time"] is None else round(row["event_time"].timestamp() * 1000)
        if (row["event_id"], at) != (event["event_id"], event["event_time"]):
            found.append((f"the archive has it as {row['event_id']} at {row['event_time']}", case))
    return found
