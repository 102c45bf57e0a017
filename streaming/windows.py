"""The window shapes of stream processing, by their names: tumbling, hopping with overlap or gaps, sliding, session.

Data flow: event times -> the windows that each event is in -> groups or frames of a view
Run: pytest tests/streaming/test_windows.py
Source: Kleppmann, Designing Data-Intensive Applications, chapter 11. Authors use the names differently:

    here      Kleppmann  Kafka Streams  Azure     Flink         Beam     Spark
    tumbling  tumbling   tumbling       tumbling  tumbling      fixed    tumbling
    hopping   hopping    hopping        hopping   sliding, HOP  sliding  sliding
    sliding   sliding    sliding        sliding   OVER          -        OVER
    session   session    session        session   session       session  session

A hop longer than the size leaves gaps: Akidau's sampling windows. Kafka Streams and Spark refuse it. Azure's snapshot window
is a group of equal event times.

Bounds differ too. Here, as in most, a tumbling or hopping window is [start, end); in Azure it is (start, end]. Here a sliding
window is (end - size, end], so that events exactly `size` apart share none; in Kafka Streams they do. Here a pause of exactly
`gap` does not end a session, as in Spark, Flink and Kafka Streams; in Beam it does.

Tumbling and hopping windows start at multiples of their size or hop since 1970-01-01 00:00 UTC, and before it. Times are
timestamps, in whole microseconds, and not null. Frames are static: both layers run a view on one.
"""

from collections.abc import Mapping
from datetime import timedelta

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

SESSION_START = "session_start"
"""The column that `session` adds."""


def tumbling(time: Column, size: timedelta) -> Column:
    """The one window that the event is in: struct<start, end>. Windows of `size` follow each other without gap or overlap."""
    width, instant = _micros(size), F.unix_micros(time)
    return _window(instant - F.pmod(instant, F.lit(width)), width)


def hopping(time: Column, size: timedelta, every: timedelta) -> Column:
    """The windows that the event is in, earliest first: array<struct<start, end>>, to be exploded.

    A window of `size` starts at each multiple of `every`. If `every` is shorter than `size`, windows overlap. If it is
    longer, there are gaps between them: the array of an event in a gap is empty, and `explode` drops the event.
    """
    width, step, instant = _micros(size), _micros(every), F.unix_micros(time)
    last = instant - F.pmod(instant, F.lit(step))
    starts = F.sequence(last - (width - 1) // step * step, last, F.lit(step))
    return F.transform(F.filter(starts, lambda start: instant < start + width), lambda start: _window(start, width))


def sliding(time: Column, size: timedelta, *keys: str) -> WindowSpec:
    """For each event the window of `size` that ends with it: the key's events in (time - size, time], to aggregate over.

    Two events of a key share a window if and only if they are less than `size` apart. Spark adds up every window anew: 5 s for
    20,000 windows of 2,000 events. For sums, use `sliding_sums`.
    """
    return Window.partitionBy(*keys).orderBy(F.unix_micros(time)).rangeBetween(1 - _micros(size), Window.currentRow)


def sliding_sums(events: DataFrame, time: str, size: timedelta, sums: Mapping[str, str], *keys: str) -> DataFrame:
    """Every event with sums over its `sliding` window: name -> integer column that is added up. The cost is that of a sort.

    Each event adds its values at its time, and takes them away `size` later; a running sum over both is the window's. The sum
    starts anew every hour, in which an event of the `size` before counts from the start: so the hours are summed in parallel.
    `size` is at most an hour.
    """
    width, at = _micros(size), F.unix_micros(F.col(time))
    hour = _micros(timedelta(hours=1))
    if width > hour:
        raise ValueError(f"a sliding window of {size} is longer than an hour: use `sliding`")

    def moved(at_hour: Column, when: Column, sign: int, event: Column) -> Column:
        values = [(F.col(column) * sign).alias(f"_{name}") for name, column in sums.items()]
        return F.struct(at_hour.alias("_hour"), when.alias("_at"), *values, event.alias("_event"))

    own, event = at - F.pmod(at, F.lit(hour)), F.struct(*events.columns)
    after = at + width - F.pmod(at + width, F.lit(hour))
    nothing = F.lit(None).cast(events.select(event.alias("e")).schema["e"].dataType)
    moves = F.array(moved(own, at, 1, event), moved(after, at + width, -1, nothing))
    further = F.when(after > own, F.array(moved(after, at, 1, nothing))).otherwise(F.array())
    each = events.select(*keys, F.explode(F.concat(moves, further)).alias("_move")).select(*keys, "_move.*")
    running = (
        Window.partitionBy(*keys, "_hour").orderBy("_at").rangeBetween(Window.unboundedPreceding, Window.currentRow)
    )
    summed = each.select("_event", *[F.sum(f"_{name}").over(running).alias(name) for name in sums])
    return summed.where(F.col("_event").isNotNull()).select("_event.*", *sums)


def session(events: DataFrame, time: Column, gap: timedelta, *keys: str) -> DataFrame:
    """Every event with `session_start`: the time of the first event of its session.

    A session is a longest run of a key's events without a pause of more than `gap`. A pause of exactly `gap` does not end it.
    A late event can join two sessions, so the sessions of its key are to be found again from all its events.
    """
    order = Window.partitionBy(*keys).orderBy(time)
    pause = F.unix_micros(time) - F.unix_micros(F.lag(time).over(order))
    # The key's first event has no pause before it.
    begins = F.when(F.coalesce(pause > _micros(gap), F.lit(True)), time)
    # Up to the event, and those of its own instant: the latest beginning is that of its session.
    start = F.max("_begins").over(order)
    return events.withColumn("_begins", begins).withColumn(SESSION_START, start).drop("_begins")


def _window(start: Column, width: int) -> Column:
    return F.struct(F.timestamp_micros(start).alias("start"), F.timestamp_micros(start + width).alias("end"))


def _micros(length: timedelta) -> int:
    """Raises ValueError unless `length` is positive."""
    if length <= timedelta(0):
        raise ValueError(f"a window needs a positive length, not {length}: give its size, hop or gap as a timedelta")
    return length // timedelta(microseconds=1)
