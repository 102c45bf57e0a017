"""Each window shape against the examples of the literature, and against a plain definition on random histories.

Data flow: histories of instants -> streaming/windows -> the windows, events or sessions that the definition gives
Run: pytest tests/streaming/test_windows.py
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from streaming.windows import hopping, session, sliding, tumbling

SECOND, MINUTE, HOUR = 1_000_000, 60_000_000, 3_600_000_000
"""In microseconds, as all instants here. An hour has more of them than an INT can hold."""
DAY = int(datetime(2026, 1, 31, tzinfo=UTC).timestamp()) * SECOND
# Sizes, hops and gaps: some of so few microseconds that small histories meet every border, some as they are in use.
LENGTHS = (1, 6, 7, 2 * MINUTE, HOUR)
HOPS = ((6, 6), (6, 2), (7, 3), (1, 5), (6, 10), (6 * MINUTE, 10 * MINUTE), (HOUR, MINUTE), (MINUTE, HOUR))

Instants = tuple[int, ...]
Slid = dict[tuple[int, int], list[tuple[int, list[int]]]]
"""By history and size: every event with the events of the window that ends with it."""


def length(micros: int) -> timedelta:
    return timedelta(microseconds=micros)


def at(clock: str) -> int:
    """The instant of a time of the day, `9:04:59`."""
    hours, minutes, seconds = map(int, clock.split(":"))
    return DAY + (hours * 3600 + minutes * 60 + seconds) * SECOND


def histories() -> Iterator[Instants]:
    """None, one, and many instants, some equal: close around 1970, and around full minutes of 1969 and of today."""
    chance = random.Random(7)
    yield from ((), (0,), (-1,), (DAY, DAY))
    for _ in range(60):
        yield tuple(chance.randint(-30, 30) for _ in range(chance.randint(1, 12)))
        day, step = chance.choice((-DAY, DAY)), chance.choice((MINUTE, 20 * MINUTE))
        near = [day + chance.randint(0, 12) * step for _ in range(chance.randint(1, 12))]
        yield tuple(instant + chance.choice((-1, 0, 0, 1, 30 * SECOND)) for instant in near)


HISTORIES = tuple(histories())
ALL = tuple({instant for history in HISTORIES for instant in history})


def frame(spark: SparkSession, of: tuple[Instants, ...]) -> DataFrame:
    """Every instant of every history, as `at` in microseconds and as the timestamp `time`."""
    rows = [(history, place, instant) for history, own in enumerate(of) for place, instant in enumerate(own)]
    given = spark.createDataFrame(rows, "history int, place int, at bigint")
    return given.withColumn("time", F.timestamp_micros("at"))


def spans(windows: Column) -> Column:
    """An array of windows in microseconds."""
    return F.transform(windows, lambda one: F.array(F.unix_micros(one["start"]), F.unix_micros(one["end"])))


def windows_by_definition(instant: int, size: int, every: int) -> list[list[int]]:
    """Of all windows that begin at a multiple of `every`, those that the instant is in."""
    near = range(instant // every - size // every - 2, instant // every + 3)
    return [[n * every, n * every + size] for n in near if n * every <= instant < n * every + size]


def test_an_instant_is_in_one_tumbling_window_of_the_definition(spark: SparkSession) -> None:
    windows = [spans(F.array(tumbling(F.col("time"), length(size)))) for size in LENGTHS]
    for instant, *found in frame(spark, (ALL,)).select("at", *windows).collect():
        for size, own in zip(LENGTHS, found, strict=True):
            assert own == windows_by_definition(instant, size, size), (instant, size)


def test_an_instant_is_in_the_hopping_windows_of_the_definition(spark: SparkSession) -> None:
    windows = [spans(hopping(F.col("time"), length(size), length(every))) for size, every in HOPS]
    counts = defaultdict(set)
    for instant, *found in frame(spark, (ALL,)).select("at", *windows).collect():
        for (size, every), own in zip(HOPS, found, strict=True):
            assert own == windows_by_definition(instant, size, every), (instant, size, every)
            counts[size, every].add(len(own))
    assert (counts[7, 3], counts[6, 10]) == ({2, 3}, {0, 1}), "overlaps and gaps"


@pytest.fixture(scope="module")
def slid(spark: SparkSession) -> Slid:
    time, found = F.col("time"), defaultdict(list)
    windows = [F.sort_array(F.collect_list("at").over(sliding(time, length(size), "history"))) for size in LENGTHS]
    for history, instant, *seen in frame(spark, HISTORIES).select("history", "at", *windows).collect():
        for size, events in zip(LENGTHS, seen, strict=True):
            found[history, size].append((instant, events))
    return found


def test_a_sliding_window_holds_what_the_definition_gives(slid: Slid) -> None:
    for history, own in enumerate(HISTORIES):
        for size in LENGTHS:
            expected = [(end, sorted(one for one in own if end - size < one <= end)) for end in sorted(own)]
            assert sorted(slid[history, size]) == expected, (own, size)


def test_two_events_share_a_window_if_less_than_its_size_apart(slid: Slid) -> None:
    for (history, size), windows in slid.items():
        shared = {(one, other) for _, events in windows for one in events for other in events}
        own = HISTORIES[history]
        assert shared == {(one, other) for one in own for other in own if abs(one - other) < size}, (own, size)


def sessions_by_definition(instants: Instants, gap: int) -> list[tuple[int, int]]:
    """Each instant with the first one of its session, in order."""
    found: list[tuple[int, int]] = []
    for instant in sorted(instants):
        goes_on = found and instant - found[-1][0] <= gap
        found.append((instant, found[-1][1] if goes_on else instant))
    return found


def test_sessions_are_those_of_the_definition_key_by_key(spark: SparkSession) -> None:
    events = frame(spark, HISTORIES).withColumn("key", F.col("place") % 2)
    for gap in LENGTHS:
        events = session(events, F.col("time"), length(gap), "history", "key")
        events = events.withColumnRenamed("session_start", f"of {gap}")
    found = defaultdict(list)
    for row in events.select("history", "key", "at", *[F.unix_micros(f"of {gap}") for gap in LENGTHS]).collect():
        for gap, start in zip(LENGTHS, row[3:], strict=True):
            found[row["history"], row["key"], gap].append((row["at"], start))
    for history, own in enumerate(HISTORIES):
        for key in (0, 1):
            for gap in LENGTHS:
                expected = sessions_by_definition(own[key::2], gap)
                assert sorted(found[history, key, gap]) == expected, (own, key, gap)


def test_spark_says_the_same_of_the_shapes_it_has(spark: SparkSession) -> None:
    time, events = F.col("time"), frame(spark, HISTORIES)
    for own, sparks in (
        (tumbling(time, length(7)), F.window("time", "7 microseconds")),
        (F.explode(hopping(time, length(7), length(3))), F.window("time", "7 microseconds", "3 microseconds")),
    ):
        ours, theirs = (events.select("at", one.alias("w")).select("at", "w.*").collect() for one in (own, sparks))
        assert sorted(ours) == sorted(theirs)
    sessions = session(events, time, length(6), "history").groupBy("history", "session_start").count()
    theirs = events.groupBy("history", F.session_window("time", "6 microseconds").alias("w")).count()
    assert sorted(sessions.collect()) == sorted(theirs.select("history", "w.start", "count").collect())


# size and hop in minutes (tumbling: no hop), a span of the day -> first and last second of every window that lies in it
EXAMPLES = {
    "6 minutes": (
        6, None, "0:00:00", "0:18:00",
        [("0:00:00", "0:05:59"), ("0:06:00", "0:11:59"), ("0:12:00", "0:17:59")],
    ),
    "1 minute": (1, None, "9:00:00", "9:02:00", [("9:00:00", "9:00:59"), ("9:01:00", "9:01:59")]),
    "6 minutes every 10": (
        6, 10, "0:00:00", "0:30:00",
        [("0:00:00", "0:05:59"), ("0:10:00", "0:15:59"), ("0:20:00", "0:25:59")],
    ),
    "6 minutes every 2": (
        6, 2, "0:00:00", "0:10:00",
        [("0:00:00", "0:05:59"), ("0:02:00", "0:07:59"), ("0:04:00", "0:09:59")],
    ),
    "5 minutes every minute": (5, 1, "9:00:00", "9:06:00", [("9:00:00", "9:04:59"), ("9:01:00", "9:05:59")]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_window_lasts_from_its_first_to_its_last_second(spark: SparkSession, name: str) -> None:
    size, every, since, until, expected = EXAMPLES[name]
    time = F.col("time")
    if every:
        windows = hopping(time, timedelta(minutes=size), timedelta(minutes=every))
    else:
        windows = F.array(tumbling(time, timedelta(minutes=size)))
    seconds = frame(spark, (tuple(range(at(since), at(until), SECOND)),))
    whole = F.unix_micros("w.start").between(at(since), at(until)) & (F.unix_micros("w.end") <= at(until))
    exploded = seconds.select("at", F.explode(windows).alias("w")).where(whole)
    found = exploded.groupBy("w").agg(F.min("at").alias("first"), F.max("at").alias("last")).collect()
    assert sorted((row["first"], row["last"]) for row in found) == [(at(one), at(other)) for one, other in expected]


def test_a_sliding_window_of_five_minutes_moves_with_every_second(spark: SparkSession) -> None:
    seconds = frame(spark, (tuple(range(at("9:00:00"), at("9:05:01"), SECOND)),))
    window = sliding(F.col("time"), length(5 * MINUTE))
    found = seconds.select(F.count("*").over(window).alias("n"), F.min("at").over(window), F.max("at").over(window))
    full = sorted(tuple(row) for row in found.where("n = 300").collect())
    assert full == [(300, at("9:00:00"), at("9:04:59")), (300, at("9:00:01"), at("9:05:00"))]


def test_a_visit_ends_after_a_pause_of_more_than_half_an_hour(spark: SparkSession) -> None:
    exactly = at("10:20:00")
    visits = frame(spark, ((at("9:00:00"), at("9:20:00"), at("9:50:00"), exactly, exactly + 30 * MINUTE + 1),))
    found = session(visits, F.col("time"), timedelta(minutes=30), "history")
    starts = found.groupBy(F.unix_micros("session_start")).agg(F.count("*")).collect()
    assert sorted(map(tuple, starts)) == [(at("9:00:00"), 4), (exactly + 30 * MINUTE + 1, 1)]


def test_no_events_are_in_no_window(spark: SparkSession) -> None:
    time, nothing = F.col("time"), frame(spark, ())
    assert nothing.select(tumbling(time, length(1))).collect() == []
    assert nothing.select(F.explode(hopping(time, length(1), length(2)))).collect() == []
    assert nothing.select(F.count("*").over(sliding(time, length(1), "history"))).collect() == []
    empty = session(nothing, time, length(1), "history")
    assert (empty.columns, empty.collect()) == ([*nothing.columns, "session_start"], [])


@pytest.mark.parametrize("bad", [timedelta(0), timedelta(seconds=-1)])
def test_a_length_that_is_not_positive_is_refused(spark: SparkSession, bad: timedelta) -> None:
    time, good = F.col("time"), length(1)
    for shape in (
        lambda: tumbling(time, bad),
        lambda: hopping(time, bad, good),
        lambda: hopping(time, good, bad),
        lambda: sliding(time, bad),
        lambda: session(frame(spark, ()), time, bad),
    ):
        with pytest.raises(ValueError, match="positive length"):
            shape()
