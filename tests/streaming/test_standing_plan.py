"""A plan that is made once gives the rows of its inputs as they are, run after run; one that would not is made anew."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

from infra.lake.rows import arrow, from_arrow
from streaming.micro_batch.outcomes import arrow_schema
from streaming.state.prepared_plan import Input, StandingPlan, standing_session
from streaming.state.update_views import Keeping
from streaming.tables.silver import EVENT

pytestmark = pytest.mark.slow

PAIR = StructType([StructField("key", StringType()), StructField("number", LongType())])
ROUNDS: list[list[dict[str, Any]]] = [
    [],
    [{"key": "a", "number": 1}, {"key": "a", "number": 2}, {"key": "b", "number": 3}],
    [{"key": "b", "number": 4}],
    [],
    [{"key": None, "number": 5}, {"key": "c", "number": None}],
]
"""The rows of an input, run by run."""
Shape = Callable[[DataFrame], DataFrame]


def joined(rows: DataFrame) -> DataFrame:
    most = rows.groupBy(F.col("key").alias("of")).agg(F.max("number").alias("most"))
    return rows.join(most, F.col("key") == F.col("of"), "left_outer").drop("of")


def ranked(rows: DataFrame) -> DataFrame:
    return rows.withColumn("place", F.row_number().over(Window.partitionBy("key").orderBy("number")))


def broadcast(rows: DataFrame) -> DataFrame:
    return rows.join(F.broadcast(rows.select(F.col("key").alias("of"))), F.col("key") == F.col("of"))


def apart(rows: DataFrame) -> DataFrame:
    return rows.repartition(2, "key")


def compared(rows: DataFrame) -> DataFrame:
    return rows.crossJoin(rows.agg(F.sum("number").alias("all")))


def above(rows: DataFrame) -> DataFrame:
    return rows.where(F.col("number") >= rows.agg(F.avg("number")).scalar())


def values(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


@pytest.mark.parametrize(
    ("shape", "stands"),
    [(joined, True), (ranked, True), (broadcast, False), (apart, False), (compared, True), (above, False)],
)
def test_each_run_has_the_rows_that_were_put_last(spark: SparkSession, shape: Shape, stands: bool) -> None:
    made: list[DataFrame] = []

    def build() -> DataFrame:
        made.append(shape(of.frame))
        return made[-1]

    own = standing_session(spark)
    of = Input(own, PAIR)
    plan = StandingPlan(build)
    for rows in ROUNDS:
        of.put(arrow(rows, PAIR))
        assert values(plan.run()) == values(shape(from_arrow(own, arrow(rows, PAIR), PAIR)).toArrow())
    assert plan.stands is stands
    assert (len(made) == 1) is stands


def test_a_shuffle_is_seen_where_plan_texts_are_short(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.maxPlanStringLength", "50")
    try:
        of = Input(standing_session(spark), PAIR)
        assert not StandingPlan(lambda: ranked(joined(apart(of.frame)))).stands
        assert StandingPlan(lambda: ranked(joined(of.frame))).stands
    finally:
        spark.conf.unset("spark.sql.maxPlanStringLength")


def test_an_input_gives_events_as_a_frame_of_them_does(spark: SparkSession) -> None:
    at = datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC)
    item = {"product_id": "p", "quantity": 1, "unit_price_cents": 2}
    orders = [None, {"order_id": "o-\U0001f600", "items": None}, {"items": [item, None, {}]}, {"items": []}]
    rows = [{"topic": "orders", "event_id": f"{n}", "event_time": at, "orders": own} for n, own in enumerate(orders)]
    events = pa.Table.from_pylist([*rows, {}], schema=arrow_schema(EVENT))
    of = Input(standing_session(spark), EVENT)
    of.put(pa.concat_tables([events.slice(0, 1), events.slice(0, 0), events.slice(1)]))
    assert values(of.frame.toArrow()) == values(events)


def test_more_rows_than_spark_takes_as_local_ones(spark: SparkSession) -> None:
    text = "x" * 1_000_000
    of = Input(standing_session(spark), PAIR)
    of.put(arrow([{"key": text, "number": number} for number in range(60)], PAIR))
    assert of.frame.agg(F.sum("number"), F.sum(F.length("key"))).first() == (1770, 60_000_000)


def test_the_plans_of_all_views_are_made_once(spark: SparkSession, tmp_path: Path) -> None:
    again = [plan for plan in Keeping(spark, str(tmp_path))._plans if not plan.plan.stands]
    assert not again, "a view has an exchange, a broadcast or a subquery: see streaming/state/prepared_plan.py"
