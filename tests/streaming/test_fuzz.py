"""Whatever is sent, each record is accepted or refused as its contract says, by every reader and layer, and none is lost.

DAYBREAK_FUZZ_SEED, DAYBREAK_FUZZ_FIRST and DAYBREAK_FUZZ_CASES choose the cases. A failure prints the case, and the line to keep.
"""

import os
import statistics
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from fuzz import layers
from fuzz.case import Case, kept
from fuzz.cases import case
from fuzz.judge import judged
from fuzz.readers import differing
from fuzz.ways import SETS, complaints, of_set
from pyspark.sql import SparkSession

from infra.lake import spark_tables
from streaming.contracts import CONTRACTS
from streaming.tables.bronze import BRONZE
from streaming.tables.silver import QUARANTINE, SILVER

SEED = int(os.environ.get("DAYBREAK_FUZZ_SEED", 40))
FIRST, COUNT = int(os.environ.get("DAYBREAK_FUZZ_FIRST", 0)), int(os.environ.get("DAYBREAK_FUZZ_CASES", 2_000))
SOAK_COUNT, PART = int(os.environ.get("DAYBREAK_FUZZ_CASES", 50_000)), 2_000
SHOWN = 8
SLOWER, LONGER, PER_BYTE = 8, 1_000, 400
"""How many times the usual a part or a record may take, and bytes of memory for each of its own: a multiple of what was seen."""


def cases(first: int, count: int) -> list[Case]:
    return [*kept(), *(case(SEED, number) for number in range(first, first + count))]


def none(found: Sequence[tuple[str, Case]]) -> None:
    """Fails with the first ones, of which the line of the very first may be kept."""
    if found:
        first = [f"{wrong}: {one}" for wrong, one in found[:SHOWN]]
        pytest.fail("\n".join([f"{len(found)} are wrong", *first, found[0][1].line]), pytrace=False)


@dataclass(frozen=True)
class Judged:
    """Per set of contracts its cases, what is wrong with what the platform says of them, and what it says."""

    cases: list[Case]
    complaints: list[tuple[str, Case]]
    rows: pa.Table


@pytest.fixture(scope="module")
def judgements(spark: SparkSession) -> list[Judged]:
    sent = cases(FIRST, COUNT)
    return [Judged(own := of_set(sent, contracts), *complaints(spark, own, contracts)) for contracts in SETS]


@pytest.mark.slow
def test_each_record_is_judged_by_its_contract_alone(judgements: list[Judged]) -> None:
    none([wrong for one in judgements for wrong in one.complaints])
    verdicts = [judged(one) for own in judgements for one in own.cases]
    assert 0.2 < sum(one.event is not None for one in verdicts) / len(verdicts) < 0.5


@pytest.mark.soak
def test_fifty_thousand_records_are_judged_by_their_contracts(spark: SparkSession) -> None:
    """In parts, of which none may take much longer than the others: no record stops it, or slows it down."""
    seconds = []
    for first in range(FIRST, FIRST + SOAK_COUNT, PART):
        sent, begun = cases(first, PART), time.monotonic()
        for contracts in SETS:
            none(complaints(spark, of_set(sent, contracts), contracts)[0])
        seconds.append(time.monotonic() - begun)
        none([(wrong, one) for one in sent for wrong in differing(one)])
    # The first ones are those of a cold JVM.
    assert max(seconds[2:], default=0) < SLOWER * statistics.median(seconds), seconds


@pytest.mark.slow
def test_stream_and_night_lose_no_record(judgements: list[Judged], spark: SparkSession, local_lake: Path) -> None:
    for table in (BRONZE, SILVER, QUARANTINE):
        spark_tables.create(spark, table)
    plain = judgements[0]
    is_own = pc.is_in(plain.rows["topic"], value_set=pa.array([*CONTRACTS]))
    own = [one for one in plain.cases if one.topic in CONTRACTS]
    numbers = pa.array(range(len(own)), pa.int64())
    validated = plain.rows.filter(is_own)
    validated = validated.set_column(validated.column_names.index("offset"), "offset", numbers)
    stream = layers.of_stream(validated)
    none(layers.lost(own, stream))
    by_hand, night = layers.by_hand(own), layers.of_night(spark, own)
    none(layers.misplaced(own))
    told = [(by_hand[place], stream[place], night.get(place)) for place in range(len(own))]
    none(
        [
            ("by hand, stream, night: " + ", ".join(map(str, one)), own[at])
            for at, one in enumerate(told)
            if len({*one}) > 1
        ]
    )
    assert {*by_hand.values()} == {"accepted", "duplicate", "conflict", "rejected"}


def test_every_reader_says_of_a_record_what_the_contract_says() -> None:
    none([(wrong, one) for one in cases(FIRST, COUNT) for wrong in differing(one)])


def test_no_record_takes_much_more_of_a_reader_than_its_length() -> None:
    """Its time and memory in Python. The time is the thread's own, the better of two, and compared with that of the others."""
    sent = cases(FIRST, 500)
    times, sizes = [], []
    for one in sent:
        size = len(one.value or b"") + 500
        times.append(min(spent(one), spent(one)) / size)
        sizes.append((peak(one) / (size + 1_500), one))
    none([(f"takes {by:.0f} bytes of memory per byte", one) for by, one in sizes if by > PER_BYTE])
    usual = statistics.median(times)
    none([("takes much longer", one) for one, by in zip(sent, times, strict=True) if by > LONGER * usual])


def spent(one: Case) -> float:
    begun = time.thread_time()
    list(differing(one))
    return time.thread_time() - begun


def peak(one: Case) -> int:
    tracemalloc.start()
    try:
        list(differing(one))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
