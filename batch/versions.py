"""Several versions of a day's events in one computation of a view by part, instead of one computation for each version.

Data flow: events, each with the version that counts it -> parts named apart by version -> `define` once -> rows by version
Run: pytest tests/batch/test_versions.py

By the law of independent parts, the rows of a part follow from that part's events alone. So the same part in several versions
is computed as several parts: its name is prefixed with the version, and the prefix is taken off the rows.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from batch.day import Day
from batch.truth import inputs
from streaming.views.view import ByPart, View

VERSION = "_version"
END = "\x1f"
"""Ends the version in a part's name: a control character, which no version contains."""


def view_day_by_version(view: View, law: ByPart, found: DataFrame, day: Day) -> DataFrame:
    """The view's rows of the day for each VERSION (text), from the events that have it; an event may stand in several.

    Equal to `view_day` of each version's events, with the column VERSION.
    """
    named = found
    for topic in view.inputs:
        own = F.col(topic).withField(law.column, F.concat(VERSION, F.lit(END), F.col(topic)[law.column]))
        named = named.withColumn(topic, F.when(F.col(topic).isNotNull(), own))
    rows = view.rows(inputs(view, named.drop(VERSION))).where(F.col("day") == F.lit(day.date))
    part = F.split(law.column, END, 2)
    answers = view.answer(rows, apart=(law.column,))
    return answers.withColumns({VERSION: part[0], law.column: part[1]})
