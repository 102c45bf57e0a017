"""A view's rows after each cause. By the view's law, only rows that a moved event can change are computed again.

Data flow: events that both layers count, events that a cause moves, truth -> one row per key with its value after every step
Run: pytest tests/batch/test_stages.py

Step 0 is what the stream counted; step n is what it would have counted with the first n causes of STEPS applied. A row that
no moved event can change follows from the same events in both layers, so it is truth's row at every step. On most days few
events are moved, so a day costs little more than these, however many causes and steps there are.
"""

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.days.day import Day
from batch.reconciliation.moves import STEP, Moves
from batch.truth.parts import PART, in_parts, with_parts
from batch.truth.versions import VERSION, view_day_by_version
from infra.lake.materialize import materialized
from streaming.views.law import Additive, ByPart, ByWindow
from streaming.views.view import View

COUNTED, TRUTH = "counted", "truth"


def after_each(view: View, unmoved: DataFrame, moved: DataFrame, truth: DataFrame, day: Day, moves: Moves) -> DataFrame:
    """The view's key, `counted`, a column per step that moves events, and `truth`: the row's values as structs, null for no row.

    Args:
        unmoved: events that count at every step.
        moved: events that count from step `enters` on, until before step `leaves` (null: to the end).
        truth: the day's rows of the view.
        moves: the names of the steps that move any, and whether few events are moved.
    """
    steps = {COUNTED: 0} | {name: STEP[name] for name in moves.steps}
    if isinstance(view.law, Additive):
        added = _added(view, view.law, unmoved, moved, day, steps)
        return added.join(_right(view, truth), list(view.key), "full_outer")
    return _by_part(view, view.law, unmoved, moved, truth, day, steps, moves.are_few)


def as_in_truth(view: View, truth: DataFrame) -> DataFrame:
    """`after_each` where no event is moved: the stream counted truth's events, and so its rows."""
    return _right(view, truth).withColumn(COUNTED, F.col(TRUTH))


def _right(view: View, truth: DataFrame, *more: Column) -> DataFrame:
    return truth.select(*view.key, F.struct(*view.values).alias(TRUTH), *more)


def counts_at(step: int) -> Column:
    """Over `enters` and `leaves`: does the event count at this step?"""
    return (F.col("enters") <= step) & F.coalesce(F.col("leaves") > step, F.lit(True))


def _added(
    view: View, law: Additive, unmoved: DataFrame, moved: DataFrame, day: Day, steps: Mapping[str, int]
) -> DataFrame:
    """Compute rows apart for each pair of `enters` and `leaves`, and add up, at each step, the pairs that count there."""
    # A pair as text: "1" (it never leaves) or "1,3".
    pairs = _at_all(unmoved, moved).withColumn(VERSION, F.concat_ws(",", "enters", "leaves"))
    pair = F.split(VERSION, ",")
    rows = view_day_by_version(view, law, pairs, day).withColumns(
        {"enters": pair[0].cast("long"), "leaves": F.get(pair, F.lit(1)).cast("long")}
    )
    types = {one.name: one.dataType for one in view.columns if one.name in view.values}

    def value(step: int) -> Column:
        counts = counts_at(step)
        merged = {
            name: (
                F.sum(F.when(counts, F.col(name))).cast(kind)
                if name in law.sums
                else F.first(F.when(counts, F.col(name)), ignorenulls=True)
            )
            for name, kind in types.items()
        }
        merged |= {name: law.share(name, merged) for name in law.shares}
        return F.when(F.max(counts), F.struct(*[value.alias(name) for name, value in merged.items()]))

    return rows.groupBy(*view.key).agg(*[value(step).alias(name) for name, step in steps.items()])


def _by_part(
    view: View,
    law: ByPart | ByWindow,
    unmoved: DataFrame,
    moved: DataFrame,
    truth: DataFrame,
    day: Day,
    steps: Mapping[str, int],
    moves_are_few: bool,
) -> DataFrame:
    """Parts without a moved event have truth's events, and so its rows, at every step; the others are computed at every step."""
    among = unmoved.unionByName(moved.drop("enters", "leaves"))
    touched = materialized(with_parts(view, law, moved, among).select(F.col(PART).alias("_touched")).distinct())
    touched = F.broadcast(touched) if moves_are_few else touched
    near = in_parts(view, law, unmoved, touched.withColumnRenamed("_touched", "_wanted"), moved)
    near = materialized(_at_all(near, moved))
    counting = F.array_compact(F.array(*[F.when(counts_at(step), F.lit(name)) for name, step in steps.items()]))
    versions = near.withColumn(VERSION, F.explode(counting)).drop("enters", "leaves")
    answers = view_day_by_version(view, law, versions, day).withColumn("_value", F.struct(*view.values))
    # Of a window that is not touched only the end may be among the events, as the lookback of the next.
    answers = answers.join(touched, law.of_row(view.time) == F.col("_touched"), "left_semi")
    again = answers.groupBy(*view.key).agg(
        *[F.first(F.when(F.col(VERSION) == name, F.col("_value")), ignorenulls=True).alias(name) for name in steps]
    )
    right = _right(view, truth, law.of_row(view.time).alias("_part"))
    right = right.join(touched, F.col("_part") == F.col("_touched"), "left")
    is_as_in_truth = F.col(TRUTH).isNotNull() & F.col("_touched").isNull()
    return right.join(again, list(view.key), "full_outer").select(
        *view.key, *[F.when(is_as_in_truth, F.col(TRUTH)).otherwise(F.col(name)).alias(name) for name in steps], TRUTH
    )


def _at_all(unmoved: DataFrame, moved: DataFrame) -> DataFrame:
    """Both, with the steps at which each enters and leaves: what is not moved counts at every step."""
    at_all = unmoved.withColumns({"enters": F.lit(0).cast("long"), "leaves": F.lit(None).cast("long")})
    return at_all.unionByName(moved.select(*at_all.columns))
