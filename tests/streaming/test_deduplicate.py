"""The first arrival of an event stands; the same again is a duplicate, other content under its id a conflict."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest
from pyspark.sql import Row, SparkSession

from streaming.deduplication.deduplicate import outcomes
from streaming.deduplication.event_ids import nothing_known
from streaming.micro_batch import outcomes as arrivals
from streaming.reasons import Outcome, Reason
from streaming.tables.silver import rejected

START = datetime(2026, 1, 31, tzinfo=UTC)
COLUMNS = (
    "name string, event_id string, content_hash long, reasons array<string>, written boolean, arrival timestamp, "
    "topic string, partition int, offset long"
)
FIRST, AGAIN, OTHER, BAD = Outcome.ACCEPTED, Outcome.DUPLICATE, Outcome.CONFLICT, Outcome.REJECTED

# name, event_id, content, reasons, written, arrival in seconds, topic, partition, offset -> outcome
CASES = [
    ("alone", "a", 1, [], False, 0, "orders", 0, 0, FIRST),
    ("first", "b", 1, [], False, 5, "orders", 0, 1, FIRST),
    ("again, later", "b", 1, [], False, 6, "orders", 1, 0, AGAIN),
    ("other, later", "b", 2, [], False, 7, "orders", 0, 2, OTHER),
    ("the other again is no repeat of the first", "b", 2, [], False, 8, "orders", 0, 3, OTHER),
    ("arrival counts, not the place", "c", 2, [], False, 2, "orders", 0, 9, AGAIN),
    ("earlier by a clock tick, at a larger place", "c", 2, [], False, 1, "payments", 1, 99, FIRST),
    ("same tick, smaller partition", "d", 1, [], False, 3, "orders", 0, 7, FIRST),
    ("same tick, larger partition", "d", 2, [], False, 3, "orders", 1, 5, OTHER),
    ("same tick and partition, smaller offset", "e", 1, [], False, 3, "orders", 0, 10, FIRST),
    ("same tick and partition, larger offset", "e", 1, [], False, 3, "orders", 0, 11, AGAIN),
    ("ids are shared by all topics", "a", 3, [], False, 9, "payments", 0, 0, OTHER),
    ("in silver already", "f", 1, [], True, None, None, None, None, FIRST),
    ("repeats what is in silver", "f", 1, [], False, 1, "orders", 0, 20, AGAIN),
    ("contradicts what is in silver", "f", 2, [], False, 0, "orders", 0, 21, OTHER),
    ("invalid, whatever its id", "a", 1, ["future"], False, -5, "orders", 0, 30, BAD),
    ("invalid without an id", None, 4, ["not_json"], False, 1, "orders", 0, 31, BAD),
    ("another without an id", None, 4, ["not_json"], False, 2, "orders", 0, 32, BAD),
]


@pytest.fixture(scope="module")
def decided(spark: SparkSession) -> dict[str, Row]:
    """The outcome of every case, all of them in one batch."""
    rows = [
        (*case[:5], None if case[5] is None else START + timedelta(seconds=case[5]), *case[6:9])  # type: ignore[operator]
        for case in CASES
    ]
    return {row["name"]: row for row in outcomes(spark.createDataFrame(rows, COLUMNS)).collect()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0]))
def test_an_arrival_has_its_outcome(decided: dict[str, Row], case: tuple[object, ...]) -> None:
    assert decided[str(case[0])]["outcome"] == case[-1]


def test_the_streams_driver_finds_the_same_outcomes() -> None:
    """streaming.micro_batch.outcomes decides a micro-batch in memory; what silver has already is given to it by id."""
    names = (
        "name",
        "event_id",
        "content_hash",
        "reasons",
        "written",
        "seconds",
        "topic",
        "partition",
        "offset",
        "outcome",
    )
    cases = [dict(zip(names, case, strict=True)) for case in CASES]
    known = {case["event_id"]: case["content_hash"] for case in cases if case["written"]}
    new = [
        {**case, "arrival": START + timedelta(seconds=case["seconds"]), "event_time": START}
        for case in cases
        if not case["written"]
    ]
    schema = pa.schema([("reasons", pa.list_(pa.string()))])
    validated = pa.Table.from_pylist(new)
    validated = validated.set_column(
        validated.column_names.index("reasons"), "reasons", validated["reasons"].cast(schema[0].type)
    )
    ordered = arrivals.in_order(validated)
    arrived = arrivals.valid(ordered)
    written = nothing_known(arrived)
    written.add(arrived, known)
    found = arrivals.outcomes(ordered, arrived, written).to_pylist()
    assert dict(zip(ordered["name"].to_pylist(), found, strict=True)) == {case["name"]: case["outcome"] for case in new}


def test_a_conflict_goes_to_quarantine_with_its_reason(spark: SparkSession) -> None:
    schema = "topic string, partition int, offset long, arrival timestamp, key binary, value binary, headers array<int>"
    record = ("orders", 0, 1, START, b"k", b"v", None)
    rows = [
        (*record, "a", [], FIRST),
        (*record, "a", [], AGAIN),
        (*record, "a", [], OTHER),
        (*record, None, ["empty"], BAD),
    ]
    frame = spark.createDataFrame(rows, f"{schema}, event_id string, reasons array<string>, outcome string")
    found = [(row["event_id"], row["reasons"], bytes(row["value"])) for row in rejected(frame).collect()]
    assert found == [("a", [Reason.CONFLICT], b"v"), (None, ["empty"], b"v")]
