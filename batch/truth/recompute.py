"""Truth: a day's events and views, recomputed from the archive with the stream's own functions.

Data flow: archive/events -> validate, outcomes -> truth/events, truth/quarantine, truth/<view>
Run: python -m batch truth --date 2026-01-31
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import timedelta

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.archived import archived_on
from batch.archive.events import ARCHIVE, PLACE
from batch.days.day import Day
from batch.truth.history import needed, shortened
from batch.truth.reach import Reach, reach
from infra.failpoints import point
from infra.lake import spark_tables
from infra.lake.at_once import at_once
from infra.lake.columns import column, struct
from infra.lake.materialize import materialized, released
from infra.lake.rows import from_arrow
from infra.lake.tables import Table
from infra.lake.writes import FEW, FEW_BYTES, bytes_of, few, replace_days
from streaming.deduplication.deduplicate import outcomes
from streaming.tables.bronze import RECORD, WEIGHT
from streaming.tables.silver import EVENT, REJECTED, accepted, rejected, topic_events
from streaming.validation.validate import validate
from streaming.versions.definitions import of_event
from streaming.views import CHANGELOGS, LOOKBACK, VIEWS
from streaming.views.as_of import KNOWN_AT
from streaming.views.view import View

RUN = column("run", "string", "The night that computed it")
TRUTH = Table(
    "truth",
    "events",
    struct(*EVENT.fields, RUN),
    partitioned_by=("day",),
    description="One valid event of a day, regardless of when it arrived.",
)
TRUTH_QUARANTINE = Table(
    "truth",
    "quarantine",
    struct(*REJECTED.fields, RUN),
    partitioned_by=("day",),
    description="One record that the night rejected, under the day whose run rejected it.",
)


def truth_table(view: View) -> Table:
    """truth/<view>: the view's rows of whole days."""
    stamp = (column("definition", "string", "Version of the view's definition"), RUN)
    description = f"{view.description} Whole days, recomputed from the archive."
    return Table("truth", view.name, struct(*view.schema, *stamp), partitioned_by=("day",), description=description)


def decided(session: SparkSession, day: Day, needs: Reach) -> DataFrame:
    """Validated records of a day and around it, as far as some views reach, with their outcomes: by their event time, or, without
    one, their arrival.

    And all records of changelogs before: the last of a key may be of any age. Other arrivals of the same event_ids, with any
    event time, are looked up in the whole archive, so that duplicates and conflicts are found. The lookup reads the column
    event_id; payloads are read only where it finds one.
    """
    at = F.coalesce("event_time", "arrival")
    is_near, records = needs.near(day, at), archived_on(session, needs.days(day), CHANGELOGS)
    own, others = records.where(is_near), spark_tables.read(session, ARCHIVE).where(~is_near)
    far = needs.of_keys_of(session, day, records.where(~is_near), at)
    if far is not None:
        own, others = own.unionByName(far), others.join(far.select("day", *PLACE), ["day", *PLACE], "left_anti")
    ids = own.where(F.col("event_id").isNotNull()).select("event_id").distinct()
    elsewhere = _with_ids(session, ids, others)
    both = own.withColumn("own", F.lit(True)).unionByName(elsewhere.withColumn("own", F.lit(False)))
    validated = validate(both.select(*RECORD.fieldNames(), "own")).withColumn("written", F.lit(False))
    return outcomes(validated).where("own")


def _with_ids(session: SparkSession, ids: DataFrame, others: DataFrame) -> DataFrame:
    """Those of other records of the archive that have one of the ids."""
    found = few(others.join(ids, "event_id", "left_semi").select("day", *PLACE))
    if isinstance(found, DataFrame):
        return others.join(found, ["day", *PLACE], "left_semi")
    days = set(found["day"].unique().to_pylist())
    places = from_arrow(session, found, others.select("day", *PLACE).schema)
    return archived_on(session, days).join(F.broadcast(places), ["day", *PLACE], "left_semi")


class Decided:
    """A cache of validated records around days: computed once for truth and comparison, kept until `release`.

    They are kept without their plan: every view would hold it, and Spark would analyze it anew with each of their steps.
    `needs`: of which views; None: of all.
    """

    def __init__(self, session: SparkSession, needs: Reach | None = None) -> None:
        self._session = session
        self.needs = needs or reach()
        self._kept: dict[Day, DataFrame] = {}

    def around(self, day: Day) -> DataFrame:
        """The validated records of the day and around it, as `decided` gives them."""
        if day not in self._kept:
            self._kept[day] = materialized(decided(self._session, day, self.needs))
        return self._kept[day]

    def release(self) -> None:
        """Free the cached records."""
        for rows in self._kept.values():
            released(rows)
        self._kept.clear()


def events_around(session: SparkSession, definition: str, day: Day) -> DataFrame:
    """The valid events of other days that the day's rows need, one per event_id; of older changes the last of each key."""
    found = decided(session, day, replace(reach(), beside=True))
    return shortened(accepted(found, definition), day.start - LOOKBACK)


def inputs(view: View, found: DataFrame, *more: str) -> dict[str, DataFrame]:
    """A view's input topics among events, with the columns `more`; KNOWN_AT of changelogs where `found` has it."""
    known = [name for name in (KNOWN_AT,) if name in found.columns]
    return {
        topic: topic_events(found, topic, *more, *(known if topic in view.changelogs else ())) for topic in view.inputs
    }


def view_day(view: View, found: DataFrame, day: Day) -> DataFrame:
    """The view's rows for a day, computed from its events, and those of `view.lookback` before it and `view.reach` after it."""
    return view.answer(view.rows(inputs(view, found)).where(F.col("day") == F.lit(day.date)))


def events_of(rows: DataFrame, definitions: Mapping[str, str], day: Day) -> DataFrame:
    """Of validated records around a day the valid events, one per event_id; of older changes the last of each key."""
    return shortened(accepted(rows, of_event(definitions)), day.start - LOOKBACK)


def answer_of(view: View, found: DataFrame, day: Day) -> DataFrame:
    """The view's rows for a day, from events that may be more than those that it needs."""
    return view_day(view, found.where(needed(view, day.around(view.lookback, view.reach))), day)


def truth(
    session: SparkSession,
    day: Day,
    run: str,
    definitions: dict[str, str],
    known: Decided | None = None,
    chosen: Callable[[DataFrame], Iterable[View]] = lambda _: VIEWS.values(),
) -> None:
    """Replace the day in the truth tables of events and of the views that are `chosen` when its events are known.

    `known`: the caller's cache of validated records, which the caller releases. If it has those of some views only, the day's
    events stay as they are.
    """
    validated = known or Decided(session)
    rows = validated.around(day)
    try:
        found = materialized(events_of(rows, definitions, day))
        stamp = F.lit(run)
        # A view has about as many rows as there are events, so their number and bytes decide for the view too, without a count.
        is_light = bytes_of(rows, WEIGHT) <= FEW_BYTES
        as_fits = DataFrame.toArrow if is_light and found.count() <= FEW else _by_spark
        events_of_day = found.where(F.col("day") == F.lit(day.date)).withColumn("run", stamp)
        views = list(chosen(events_of_day))
        if validated.needs.whole:
            replace_days(as_fits(events_of_day), TRUTH, [day.date])
            point("truth.after-events")
            refused = rejected(rows.where(_on(day))).withColumn("day", F.lit(day.date)).withColumn("run", stamp)
            replace_days(few(refused) if is_light else refused, TRUTH_QUARANTINE, [day.date])

        def write(view: View) -> None:
            answer = answer_of(view, found, day).withColumn("definition", F.lit(definitions[view.name]))
            replace_days(as_fits(answer.withColumn("run", stamp)), truth_table(view), [day.date])

        at_once(session, write, views)
        released(found)
    finally:
        if known is None:
            validated.release()
    point("truth.after")


def _on(day: Day) -> Column:
    return day.around(timedelta(0), timedelta(0)).holds(F.coalesce("event_time", "arrival"))


def _by_spark(rows: DataFrame) -> DataFrame:
    return rows
