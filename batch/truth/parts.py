"""Which parts of a view an event belongs to: those that its law names, and for a change of a changelog those that look it up.

Data flow: events of a view -> each with its parts; parts -> all events that they need
Run: pytest tests/batch/test_stages.py tests/batch/test_steps.py
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from batch.archive.events import PLACE
from infra.lake.at_once import united
from streaming.contracts import CONTRACTS
from streaming.state.changelog import key_of
from streaming.views.law import ByPart, ByWindow
from streaming.views.view import View

PART = "part"


def with_parts(view: View, law: ByPart | ByWindow, events: DataFrame, among: DataFrame) -> DataFrame:
    """The events, once for each PART that they belong to; those of changelogs for the parts of `among` that look them up.

    Both have the columns of EVENT. A change makes no difference to a row that is older than it by more than the view's reach.
    """
    own = of_streams(view, events).withColumn(PART, F.explode(law.of_event(view.streams)))
    if not view.changelogs:
        return own
    return united([own, *[_looking_up(view, law, topic, events, of_streams(view, among)) for topic in view.changelogs]])


def of_streams(view: View, events: DataFrame) -> DataFrame:
    """The events of the view's streams."""
    return events.where(F.col("topic").isin(*view.streams))


def of_changelogs(view: View, events: DataFrame) -> DataFrame:
    """The events of the view's changelogs."""
    return events.where(F.col("topic").isin(*view.changelogs) if view.changelogs else F.lit(False))


def _looking_up(view: View, law: ByPart | ByWindow, topic: str, events: DataFrame, among: DataFrame) -> DataFrame:
    changes, column = events.where(F.col("topic") == topic), view.changelogs[topic]
    value = F.lit(None).cast("string") if column is None else value_of(view, column)
    parts = among.select(F.explode(law.of_event(view.streams)).alias(PART), value.alias("_value"), "event_time")
    last = parts.groupBy(PART, "_value").agg(F.max("event_time").alias("_last"))
    looks_up = F.col("event_time") <= F.col("_last") + F.lit(view.reach)
    if column is not None:
        looks_up = looks_up & (key_of((topic,)) == F.col("_value"))
    return changes.join(last, looks_up).drop("_value", "_last")


def value_of(view: View, column: str) -> Column:
    """Over the columns of EVENT: what an event of the view's streams has in a column."""
    of_streams = [CONTRACTS[topic] for topic in view.streams]
    return F.coalesce(*[F.col(one.column)[column] for one in of_streams if column in one.payload.fieldNames()])


def in_parts(view: View, law: ByPart | ByWindow, events: DataFrame, wanted: DataFrame, beside: DataFrame) -> DataFrame:
    """The events, each once, that the parts in the column `_wanted` need: of streams theirs, of changelogs what they look up.

    `beside`: further events of these parts, which look keys up too.
    """
    streams, parts = of_streams(view, events), law.of_event(view.streams)
    if isinstance(law, ByPart):
        own = streams.join(wanted, parts[0] == F.col("_wanted"), "left_semi")
    else:
        # An equal join of each of an event's windows: few, unlike the windows of a day.
        each = streams.withColumn("_of", F.explode(parts)).join(wanted, F.col("_of") == F.col("_wanted"), "left_semi")
        own = each.drop("_of").dropDuplicates(list(PLACE))
    return united([own, *looked_up(view, events, own, of_streams(view, beside))])


def looked_up(view: View, events: DataFrame, *streams: DataFrame) -> list[DataFrame]:
    """Of the events, those of changelogs that some events of the view's streams look up."""
    found = []
    for topic, column in view.changelogs.items():
        changes = events.where(F.col("topic") == topic)
        if column is not None:
            values = united([own.select(value_of(view, column).alias("_value")) for own in streams]).distinct()
            changes = changes.join(values, key_of((topic,)) == F.col("_value"), "left_semi")
        found.append(changes)
    return found
