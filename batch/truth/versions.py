"""Several versions of a day's events in one computation of a view, instead of one computation for each version.

Data flow: events, each with the version that counts it -> parts named apart by version -> `define` once -> rows by version
Run: pytest tests/batch/test_versions.py

By the law of independent parts, the rows of a part follow from that part's events alone. So the same part in several versions
is computed as several parts: its name, and the keys that it looks up in changelogs, are prefixed with the version, and the
prefix is taken off the rows. Other views keep the values of a column apart, and here these are the versions.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from batch.days.day import Day
from batch.truth.recompute import inputs
from streaming.contracts import CONTRACTS
from streaming.views.law import APART, ByPart, Law
from streaming.views.view import View

VERSION = "_version"
END = "\x1f"
"""Ends the version in a part's name: a control character, which no version contains."""


def view_day_by_version(view: View, law: Law, found: DataFrame, day: Day) -> DataFrame:
    """The view's rows of the day for each VERSION (text), from the events that have it; an event may stand in several.

    Equal to `view_day` of each version's events, with the column VERSION.
    """
    if not isinstance(law, ByPart):
        apart = {topic: own.withColumnRenamed(VERSION, APART) for topic, own in inputs(view, found, VERSION).items()}
        rows = view.rows(apart, apart=True).where(F.col("day") == F.lit(day.date))
        return view.answer(rows, apart=(APART,)).withColumnRenamed(APART, VERSION)
    named, prefixed = found, {law.column, *filter(None, view.changelogs.values())}
    prefixed |= {CONTRACTS[topic].key for topic in view.changelogs}
    for contract in (CONTRACTS[topic] for topic in view.inputs):
        own = payload = F.col(contract.column)
        for name in sorted(prefixed.intersection(contract.payload.fieldNames())):
            own = own.withField(name, F.concat(VERSION, F.lit(END), payload[name]))
        named = named.withColumn(contract.column, F.when(payload.isNotNull(), own))
    rows = view.rows(inputs(view, named.drop(VERSION))).where(F.col("day") == F.lit(day.date))
    part = F.split(law.column, END, 2)
    answers = view.answer(rows, apart=(law.column,)).withColumn(VERSION, part[0])
    bare = {name: F.split(name, END, 2)[1] for name in sorted(prefixed.intersection(answers.columns))}
    return answers.withColumns(bare)
