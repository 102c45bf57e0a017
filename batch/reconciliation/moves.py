"""Moves: the events that causes add or take away, with the step at which each begins and ceases to count.

Data flow: evidence of the day, in the driver if it is small -> per view: place, enters, leaves
Run: pytest tests/batch/test_stages.py

Steps are numbered as in STEPS, from 1. Step 0 is what the stream counted; null means never.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, IntegerType, LongType, StringType, StructField, StructType

from batch.archive.events import PLACE
from batch.days.day import Span
from batch.reconciliation.causes import STEPS, Cause
from batch.reconciliation.evidence import of_view
from batch.truth.history import it_can_matter
from infra.lake.materialize import materialized
from infra.lake.rows import frame, from_arrow
from infra.lake.writes import few
from streaming.views.view import View

Pair = tuple[int, int | None]
"""The first step at which an event counts, and the first at which it counts no longer (None: it never ceases)."""
MOVES = StructType(
    [
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("of_silver", BooleanType()),
        StructField("enters", LongType()),
        StructField("leaves", LongType()),
    ]
)
STEP = {cause.value: step for step, cause in enumerate(STEPS, 1)}


@dataclass(frozen=True)
class Moves:
    """A view's moved events: `places` (rows of MOVES), and the names of the `steps` that move any."""

    places: DataFrame
    steps: tuple[str, ...]
    are_few: bool


class Found:
    """The evidence of a day, of all topics. It is usually small; then a view's part is selected without a Spark job."""

    def __init__(self, session: SparkSession, evidence: DataFrame) -> None:
        self._session = session
        held = few(evidence)
        self._table = held if isinstance(held, pa.Table) else None
        self.rows = materialized(held) if isinstance(held, DataFrame) else from_arrow(session, held, evidence.schema)

    def moves(self, view: View, needed: Span) -> Moves:
        """The moved events of a view whose rows need the events of the span."""
        if self._table is None:
            return _by_spark(view, of_view(self.rows, view, needed))
        found = list(_by_place(self._table.to_pylist(), view, needed))
        pairs = {(row["enters"], row["leaves"]) for row in found}
        places = F.broadcast(frame(self._session, found, MOVES))
        return Moves(places, _named(pairs), are_few=True)


def _by_place(rows: list[dict[str, Any]], view: View, needed: Span) -> Iterator[dict[str, Any]]:
    entered: dict[tuple[Any, ...], int] = {}
    left: dict[tuple[Any, ...], int] = {}
    own = [row for row in rows if row["cause"] != Cause.UNEXPLAINED and it_can_matter(view, needed, row)]
    taken = {tuple(row[name] for name in PLACE) for row in own if row["side"] == "take"}
    for row in own:
        place, cause = tuple(row[name] for name in PLACE), row["cause"]
        if cause == Cause.LATE and row["topic"] in view.changelogs:
            # The stream counts it from when it knew it, and the night's own takes its place, unless the night has none.
            if place not in taken:
                left[(*place, True)] = entered[(*place, False)] = STEP[Cause.PARTNER_LATE]
        elif cause == Cause.LATE:
            is_partner = row["topic"] != view.inputs[0]
            entered[(*place, True)] = STEP[Cause.PARTNER_LATE if is_partner else Cause.LATE]
        elif row["side"] == "take":
            left[(*place, True)] = STEP[cause]
        else:
            entered[(*place, False)] = STEP[cause]
    for at in entered.keys() | left.keys():
        yield dict(zip(MOVES.fieldNames(), (*at, entered.get(at, 0), left.get(at)), strict=True))


def _by_spark(view: View, found: DataFrame) -> Moves:
    """As `_by_place`, by Spark: for a day with more evidence than the driver should hold."""
    steps = F.array(*[F.lit(cause.value) for cause in STEPS])
    step = F.array_position(steps, F.col("cause"))
    is_late = F.col("cause").isin(Cause.LATE.value, Cause.PARTNER_LATE.value)
    found = found.where(F.col("cause") != Cause.UNEXPLAINED.value)
    if view.changelogs:
        is_change = is_late & F.col("topic").isin(*view.changelogs)
        taken = F.max(F.col("side") == "take").over(Window.partitionBy(*PLACE))
        sides = F.when(is_change, F.array(F.lit("take"), F.lit("known"))).otherwise(F.array("side"))
        found = found.withColumn("_taken", taken).where(~(is_change & F.col("_taken")))
        found = found.withColumn("side", F.explode(sides))
        is_late = is_late & ~F.col("topic").isin(*view.changelogs)
    places = materialized(
        found.groupBy(*PLACE, (is_late | (F.col("side") == "take")).alias("of_silver")).agg(
            F.coalesce(F.max(F.when(is_late | F.col("side").isin("add", "known"), step)), F.lit(0))
            .cast("long")
            .alias("enters"),
            F.max(F.when(F.col("side") == "take", step)).cast("long").alias("leaves"),
        )
    )
    pairs = {(row["enters"], row["leaves"]) for row in places.select("enters", "leaves").distinct().collect()}
    return Moves(places, _named(pairs), are_few=False)


def _named(pairs: set[Pair]) -> tuple[str, ...]:
    present = {step for pair in pairs for step in pair if step}
    return tuple(name for name, step in STEP.items() if step in present)
