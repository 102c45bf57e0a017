"""What is in order adds up; a record that is lost, doubled or made up in any of the four tables is found, with its offset."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.types import DateType, IntegerType, LongType, StringType, StructField, StructType

from batch.conservation.offset_counts import COUNTS, FAULTS, OffsetCounts, Removed, tally
from batch.conservation.offset_range import OffsetRange, Range, size_of
from infra.kafka.places import At
from infra.lake.rows import frame

pytestmark = pytest.mark.slow

MONDAY, TUESDAY = date(2026, 1, 5), date(2026, 1, 6)
PLACE = [StructField("topic", StringType()), StructField("partition", IntegerType()), StructField("offset", LongType())]
EVENT = [*PLACE, StructField("event_id", StringType()), StructField("day", DateType())]
SCHEMAS = {
    "archive": StructType(EVENT),
    "bronze": StructType(PLACE),
    "silver": StructType(EVENT),
    "quarantine": StructType(PLACE),
}
Rows = dict[str, list[dict[str, Any]]]
ORDERS, PAYMENTS = ("orders", 0), ("payments", 1)
SPANS = [OffsetRange(*ORDERS, 100, 110, log_first=90), OffsetRange(*PAYMENTS, 0, 4, log_first=0)]

# partition, offset -> event, day, where the stream put it
SOUND = {
    (ORDERS, 99): ("before", MONDAY, "silver"),
    (ORDERS, 100): ("a", MONDAY, "silver"),
    (ORDERS, 101): ("b", TUESDAY, "silver"),
    (ORDERS, 102): (None, TUESDAY, "quarantine"),
    (ORDERS, 103): ("a", MONDAY, None),
    (ORDERS, 104): ("before", MONDAY, None),
    # 105 is the marker of a transaction: nobody has it.
    (ORDERS, 106): ("a", MONDAY, "quarantine"),
    (ORDERS, 107): ("c", TUESDAY, "silver"),
    (ORDERS, 108): ("d", TUESDAY, "silver"),
    (ORDERS, 109): ("e", TUESDAY, "silver"),
    # The archive has come farther than the stream.
    (ORDERS, 110): ("f", TUESDAY, "nowhere yet"),
    (PAYMENTS, 0): ("p", TUESDAY, "silver"),
    (PAYMENTS, 1): ("q", TUESDAY, "silver"),
    (PAYMENTS, 2): ("q", TUESDAY, None),
    (PAYMENTS, 3): ("r", TUESDAY, "silver"),
}
EXPECTED = {
    ORDERS: (10, 0, 0, 1, 9, 0, 9, 5, 2, 2, 0, 0, 0),
    PAYMENTS: (4, 0, 0, 0, 4, 0, 4, 3, 0, 1, 0, 0, 0),
}


def sound() -> Rows:
    """The tables as they should be."""
    rows: Rows = {side: [] for side in SCHEMAS}
    for ((topic, partition), offset), (event_id, day, place) in SOUND.items():
        row = {"topic": topic, "partition": partition, "offset": offset, "event_id": event_id, "day": day}
        rows["archive"].append(row)
        if place != "nowhere yet":
            rows["bronze"].append(row)
        if place in rows:
            rows[place].append(row)
    return rows


def explained(at: At, holes: Sequence[Range]) -> Sequence[Range]:
    """The log shows a transaction's markers in them."""
    return ()


def counted(
    spark: SparkSession, rows: Rows, spans: list[OffsetRange] = SPANS, removed: Removed = explained
) -> dict[tuple[str, int], OffsetCounts]:
    frames = [
        frame(spark, [{name: row[name] for name in schema.fieldNames()} for row in rows[side]], schema)
        for side, schema in SCHEMAS.items()
    ]
    return {one.span.at: one for one in tally(spans, frames, removed)}


def at(rows: list[dict[str, Any]], partition: tuple[str, int], offset: int) -> dict[str, Any]:
    return next(row for row in rows if (row["topic"], row["partition"], row["offset"]) == (*partition, offset))


def lose(side: str, offset: int) -> Callable[[Rows], None]:
    return lambda rows: rows[side].remove(at(rows[side], ORDERS, offset))


def double(side: str, offset: int) -> Callable[[Rows], None]:
    return lambda rows: rows[side].append(at(rows[side], ORDERS, offset))


def make_up(side: str, offset: int) -> Callable[[Rows], None]:
    return lambda rows: rows[side].append(at(rows["archive"], ORDERS, 100) | {"offset": offset})


def without_payments(side: str) -> Callable[[Rows], None]:
    def drop(rows: Rows) -> None:
        rows[side] = [row for row in rows[side] if row["topic"] != "payments"]

    return drop


def as_another_day(rows: Rows) -> None:
    at(rows["silver"], ORDERS, 100)["day"] = TUESDAY


# what is done to the tables -> partition, {fault: its offsets}
MUTATIONS: dict[str, tuple[Callable[[Rows], None], tuple[str, int], dict[str, list[int]]]] = {
    "the stream dropped a partition": (without_payments("bronze"), PAYMENTS, {"missing": [0, 1, 2, 3]}),
    # Whose event the record at 2 repeats, only the archive could say.
    "the archive dropped a partition": (
        without_payments("archive"), PAYMENTS, {"missing": [0, 1, 2, 3], "unaccounted": [2]},
    ),
    "bronze lost the first offset": (lose("bronze", 100), ORDERS, {"missing": [100]}),
    "bronze lost the last offset": (lose("bronze", 109), ORDERS, {"missing": [109]}),
    "the archive lost an offset": (lose("archive", 101), ORDERS, {"missing": [101]}),
    "the archive has an offset twice": (double("archive", 107), ORDERS, {"doubled": [107]}),
    "bronze has an offset twice": (double("bronze", 107), ORDERS, {"doubled": [107]}),
    "silver has an offset twice": (double("silver", 107), ORDERS, {"doubled": [107]}),
    "quarantine has an offset twice": (double("quarantine", 102), ORDERS, {"doubled": [102]}),
    "silver has what quarantine has": (make_up("silver", 102), ORDERS, {"doubled": [102]}),
    "silver lost an event": (lose("silver", 108), ORDERS, {"unaccounted": [108]}),
    "silver lost an event and so its duplicate": (lose("silver", 100), ORDERS, {"unaccounted": [100, 103]}),
    "silver lost the event of a duplicate long before": (lose("silver", 99), ORDERS, {"unaccounted": [104]}),
    "quarantine lost a record": (lose("quarantine", 102), ORDERS, {"unaccounted": [102]}),
    "quarantine made a record up": (make_up("quarantine", 105), ORDERS, {"missing": [105]}),
    "silver made an event up": (make_up("silver", 105), ORDERS, {"missing": [105]}),
}  # fmt: skip


def test_what_is_in_order_adds_up(spark: SparkSession) -> None:
    found = counted(spark, sound())
    assert {partition: tuple(one.counts[name] for name in COUNTS) for partition, one in found.items()} == EXPECTED
    assert [one.faults() for one in found.values()] == [{}, {}]


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_fault_is_found_where_it_is(spark: SparkSession, name: str) -> None:
    mutate, partition, faults = MUTATIONS[name]
    rows = sound()
    mutate(rows)
    found = counted(spark, rows)
    told = {fault: found[partition].counts[fault] for fault in FAULTS if found[partition].counts[fault]}
    assert told == {fault: len(offsets) for fault, offsets in faults.items()}
    assert {fault: found[partition].first[fault] for fault in told} == faults
    assert {fault: size_of(found[partition].faulty[fault]) for fault in told} == told
    topic, number = partition
    for sentence, offsets in zip(found[partition].faults().values(), faults.values(), strict=True):
        assert f"{topic}-{number} [" in sentence
        assert ", ".join(map(str, offsets)) in sentence
    assert [one.faults() for one in found.values() if one.span.at != partition] == [{}]


def test_a_duplicate_is_one_of_the_same_event_on_the_same_day(spark: SparkSession) -> None:
    rows = sound()
    as_another_day(rows)
    assert counted(spark, rows)[ORDERS].first["unaccounted"] == [103]


def test_a_named_gap_is_left_out_whatever_lies_in_it(spark: SparkSession) -> None:
    rows = sound()
    lose("archive", 101)(rows)
    lose("archive", 102)(rows)
    found = counted(spark, rows, [OffsetRange(*ORDERS, 100, 110, log_first=103, gaps=((101, 103),)), SPANS[1]])[ORDERS]
    assert found.faults() == {}
    assert (found.counts["log"], found.counts["gaps"], found.counts["archived"], found.counts["bronze"]) == (8, 2, 7, 7)


def test_a_gap_of_the_stream_excuses_bronze_and_nothing_beside_it(spark: SparkSession) -> None:
    rows = sound()
    for offset, place in ((107, "silver"), (108, "silver"), (109, "silver")):
        lose("bronze", offset)(rows)
        lose(place, offset)(rows)
    found = counted(spark, rows, [OffsetRange(*ORDERS, 100, 110, log_first=109, unread=((107, 109),)), SPANS[1]])[
        ORDERS
    ]
    assert (found.counts["unread"], found.counts["archived"], found.counts["bronze"]) == (2, 9, 6)
    assert (found.counts["missing"], found.first["missing"]) == (2, [105, 109])


def test_an_offset_that_nobody_has_is_missing_once_the_log_cannot_tell(spark: SparkSession) -> None:
    found = counted(spark, sound(), [OffsetRange(*ORDERS, 100, 110, log_first=106), SPANS[1]])[ORDERS]
    assert (found.counts["empty"], found.counts["missing"], found.first["missing"]) == (0, 1, [105])


def test_an_offset_that_the_log_does_not_explain_is_missing(spark: SparkSession) -> None:
    rows = sound()
    for offset in (99, 100, 103, 104, 106, 109, 110):
        for side in SCHEMAS:
            rows[side] = [row for row in rows[side] if (row["topic"], row["offset"]) != ("orders", offset)]
    asked: list[tuple[At, Sequence[Range]]] = []

    def removed(at: At, holes: Sequence[Range]) -> Sequence[Range]:
        asked.append((at, holes))
        return [(103, 105)]

    found = counted(spark, rows, removed=removed)[ORDERS]
    assert asked == [(ORDERS, [(100, 101), (103, 107), (109, 110)])]
    assert (found.counts["empty"], found.counts["missing"], found.faulty["missing"]) == (4, 2, [(103, 105)])


def test_what_a_person_accepted_is_left_out_and_counted(spark: SparkSession) -> None:
    rows = sound()
    lose("bronze", 101)(rows)
    lose("silver", 108)(rows)
    span = OffsetRange(*ORDERS, 100, 110, log_first=90, accepted=((101, 102), (108, 109), (200, 300)))
    found = counted(spark, rows, [span, SPANS[1]])[ORDERS]
    assert found.faults() == {}
    assert (found.counts["log"], found.counts["accepted"], found.counts["bronze"]) == (8, 2, 7)
