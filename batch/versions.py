"""Several versions of a day's events in one computation of a view, instead of one computation for each version.

Data flow: events, each with the version that counts it -> parts named apart by version -> `define` once -> rows by version
Run: pytest tests/batch/test_versions.py

By the law of independent parts, the rows of a part follow from that part's events alone. So the same part in several versions
is computed as several parts: its name is prefixed with the version, and the prefix is taken off the rows. Other views keep the
values of a column apart, and here these are the versions.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.archive import PLACE
from batch.day import Day
from batch.truth import inputs
from streaming.silver import topic_events
from streaming.views.law import APART, ByPart, ByWindow, Law
from streaming.views.view import View

VERSION = "_version"
END = "\x1f"
"""Ends the version in a part's name: a control character, which no version contains."""


def view_day_by_version(view: View, law: Law, found: DataFrame, day: Day) -> DataFrame:
    """The view's rows of the day for each VERSION (text), from the events that have it; an event may stand in several.

    Equal to `view_day` of each version's events, with the column VERSION.
    """
    if not isinstance(law, ByPart):
        apart = {topic: topic_events(found, topic, VERSION).withColumnRenamed(VERSION, APART) for topic in view.inputs}
        rows = view.rows(apart, apart=True).where(F.col("day") == F.lit(day.date))
        return view.answer(rows, apart=(APART,)).withColumnRenamed(APART, VERSION)
    named = found
    for topic in view.inputs:
        own = F.col(topic).withField(law.column, F.concat(VERSION, F.lit(END), F.col(topic)[law.column]))
        named = named.withColumn(topic, F.when(F.col(topic).isNotNull(), own))
    rows = view.rows(inputs(view, named.drop(VERSION))).where(F.col("day") == F.lit(day.date))
    part = F.split(law.column, END, 2)
    answers = view.answer(rows, apart=(law.column,))
    return answers.withColumns({VERSION: part[0], law.column: part[1]})


def in_parts(law: ByPart | ByWindow, events: DataFrame, parts: Column, wanted: DataFrame, column: str) -> DataFrame:
    """The events of which one of the `parts` is in a column of `wanted`, each once."""
    if isinstance(law, ByPart):
        return events.join(wanted, parts[0] == F.col(column), "left_semi")
    # An equal join of each of an event's windows: few, unlike the windows of a day.
    each = events.withColumn("_of", F.explode(parts)).join(wanted, F.col("_of") == F.col(column), "left_semi")
    return each.drop("_of").dropDuplicates(list(PLACE))
