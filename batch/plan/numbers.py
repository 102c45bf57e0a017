"""The numbers of a settled day that the code would change: its views computed by the night's own functions, and written nowhere.

Data flow: archive as the settlement had it -> rows of the code; truth/<view>, the rows that stand -> counts, the largest changes
Run: daybreak plan --day 2026-01-31
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from batch.archive.archived import behind
from batch.archive.tuning import suit
from batch.days.day import Day
from batch.settlement.settlements import ends
from batch.truth.reach import reach
from batch.truth.recompute import Decided, answer_of, events_of, truth_table
from infra.lake import arrow_tables, spark_tables
from infra.lake.at_once import at_once, united
from infra.lake.materialize import materialized, released
from streaming.versions.definitions import topic_of
from streaming.views import VIEWS
from streaming.views.view import View

LARGEST = 20


@dataclass(frozen=True)
class Value:
    """One value that would change: of a measure, or where a row has no other measure of another column. `share`: how much of the
    day's sum of the measure as it stands the change is; null of other columns. `why`: what of the code changes it."""

    view: str
    key: str
    column: str
    old: str | None
    new: str | None
    share: float | None
    why: str


@dataclass(frozen=True)
class Numbers:
    """How many rows of a view on a day would be there for the first time, no more, or with other values; and the sums of its
    measures, as they stand and as they would be."""

    view: str
    rows: int
    added: int
    gone: int
    changed: int
    sums: Mapping[str, tuple[int, int]]

    @property
    def is_same(self) -> bool:
        """Would no row change?"""
        return not (self.added or self.gone or self.changed)


def numbers(
    session: SparkSession, day: Day, settlement: Mapping[str, Any], now: Mapping[str, str], why: Mapping[str, str]
) -> tuple[list[Numbers], list[Value]]:
    """Per view that `why` names its Numbers, and the LARGEST changes of all, the largest share first.

    `settlement`: the day's, in force. `now`: the versions of the code. Only records that the settlement had in the archive count:
    what has come since changes the day too, but it is no change of the code.
    """
    suit(session, day)
    known = Decided(session, reach(why.keys()))
    try:
        events = materialized(events_of(known.around(day).where(_had(settlement)), now, day))
        found = at_once(session, lambda name: _of_view(session, VIEWS[name], events, day, why[name]), why)
        released(events)
    finally:
        known.release()
    values = [value for _, own in found for value in own]
    return [own for own, _ in found], sorted(values, key=lambda one: -(one.share or 0))[:LARGEST]


def _had(settlement: Mapping[str, Any]) -> Column:
    """Over places in the log: was it in the archive at the settlement? Of a topic that is new since, all is."""
    read_to = ends(settlement["offsets"])
    return ~behind(read_to) | ~F.col("topic").isin(*sorted({topic for topic, _ in read_to}))


def _of_view(session: SparkSession, view: View, events: DataFrame, day: Day, why: str) -> tuple[Numbers, list[Value]]:
    new = answer_of(view, events, day)
    # A view is new, and no night has made its table yet.
    has_table = arrow_tables.exists(truth_table(view))
    old = spark_tables.of_day(session, truth_table(view), day.date) if has_table else new.limit(0)
    both = materialized(side_by_side(view, old, new))
    try:
        own = counted(view, both)
        # All rows of a new view are new, and none is larger than another.
        is_first = own.added == own.rows and not own.gone
        return own, [] if is_first else largest(view, both, own.sums, why)
    finally:
        released(both)


def side_by_side(view: View, old: DataFrame, new: DataFrame) -> DataFrame:
    """One row per key, with structs of values `old` and `new`; null where a side has no such row. Null keys are equal.

    `old` may be of a version of the view with other columns: what it lacks, or what does not fit, is null.
    """
    values, sides = F.struct(*view.values), ("old", "new")
    rows = [
        own.select(*view.key, *[(values if side == of else F.lit(None)).alias(side) for side in sides])
        for of, own in (("old", _fitted(view, old)), ("new", new))
    ]
    return united(rows).groupBy(*view.key).agg(*[F.first(side, ignorenulls=True).alias(side) for side in sides])


def _fitted(view: View, rows: DataFrame) -> DataFrame:
    return rows.select(
        *[
            (F.col(one.name) if one.name in rows.columns else F.lit(None)).try_cast(one.dataType).alias(one.name)
            for one in view.columns
        ]
    )


def counted(view: View, both: DataFrame) -> Numbers:
    """The counts and sums of the rows of `side_by_side`."""
    old, new = F.col("old"), F.col("new")
    kinds = {
        "added": old.isNull(),
        "gone": new.isNull(),
        "changed": old.isNotNull() & new.isNotNull() & ~old.eqNullSafe(new),
    }
    sums = [
        F.coalesce(F.sum(side[name]), F.lit(0)).cast("long").alias(f"{number} {name}")
        for name in view.measures
        for number, side in enumerate((old, new))
    ]
    counts = [F.count_if(is_so).alias(kind) for kind, is_so in kinds.items()]
    (row,) = both.agg(F.count_if(new.isNotNull()).alias("rows"), *counts, *sums).collect()
    moved = {name: (row[f"0 {name}"], row[f"1 {name}"]) for name in view.measures}
    return Numbers(view.name, row["rows"], row["added"], row["gone"], row["changed"], moved)


def largest(view: View, both: DataFrame, sums: Mapping[str, tuple[int, int]], why: str) -> list[Value]:
    """The LARGEST changes of values among the rows of `side_by_side`, by their share of the day's sum."""
    names = [*view.measures, *[name for name in view.values if name not in view.measures]]
    values = F.array_compact(F.array(*[_changed(name, sums[name][0] if name in sums else None) for name in names]))
    # Of a row with another measure only that is told: with an event more, what the last one names is another too.
    summed = F.filter(values, lambda one: one["share"].isNotNull())
    each = F.when(F.size(summed) > 0, summed).otherwise(F.slice(values, 1, 1))
    found = both.where(~F.col("old").eqNullSafe(F.col("new"))).select(
        F.to_json(F.struct(*view.key)).alias("key"), F.explode(each).alias("one")
    )
    order = (F.col("one.share").desc_nulls_last(), "key", F.col("one.column"))
    rows = found.orderBy(*order).limit(LARGEST).select("key", "one.*").collect()
    return [Value(view.name, row["key"], row["column"], row["old"], row["new"], row["share"], why) for row in rows]


def _changed(name: str, of: int | None) -> Column:
    """A value that differs between the sides, as a struct; else null. `of`: the sum of which a change is a share."""
    old, new = F.col("old")[name], F.col("new")[name]
    share = F.lit(None).cast("double")
    if of is not None:
        by = F.abs(F.coalesce(new, F.lit(0)) - F.coalesce(old, F.lit(0)))
        share = (by / F.lit(max(abs(of), 1))).cast("double")
    values = F.struct(
        F.lit(name).alias("column"),
        old.cast("string").alias("old"),
        new.cast("string").alias("new"),
        share.alias("share"),
    )
    return F.when(~old.eqNullSafe(new), values)


def reasons(by: Collection[str], known: Mapping[str, View]) -> dict[str, str]:
    """Why each view's numbers change whose version is among `by` (as from `definitions.differing`): because of contracts of its
    inputs, which are among them too, or of its own definition. `known`: the code's views."""
    topics = {topic for name in by if (topic := topic_of(name))}
    found = {}
    for name, view in known.items():
        if name in by:
            own = sorted(topics.intersection(view.inputs))
            found[name] = f"contract {', '.join(own)}" if own else "definition"
    return found
