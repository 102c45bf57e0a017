"""Both ways of validation over cases, and what differs between them and the verdicts.

Data flow: Cases -> records -> fast path interpreted, slow path compiled -> complaints
Run: pytest tests/streaming/test_fuzz.py
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from fuzz.case import Case
from fuzz.judge import BY_TOPIC, HEAD, Verdict, judged
from fuzz.sources import DATABASE, NOW_MS, ORDER_SERVICE, SHOP
from pyspark.sql import DataFrame, SparkSession

from infra.lake.rows import frame
from infra.spark_conf import INTERPRETED
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate_by

COMPILED = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
ARRIVAL = datetime.fromtimestamp(NOW_MS / 1000, UTC)
IN_AVRO, IN_PROTOBUF = ("orders", "payments"), tuple(one for one in CONTRACTS if one not in ("orders", "payments"))
SETS: tuple[tuple[Contract, ...], ...] = (
    (*SHOP, *ORDER_SERVICE, *DATABASE),
    (
        *(replace(CONTRACTS[topic], encoding="avro") for topic in IN_AVRO),
        *(replace(CONTRACTS[topic], encoding="protobuf") for topic in IN_PROTOBUF),
    ),
    tuple(replace(CONTRACTS[topic], encoding="protobuf") for topic in IN_AVRO),
)
"""A topic has one encoding at a time."""


@contextmanager
def set_to(spark: SparkSession, options: Mapping[str, str]) -> Iterator[None]:
    """The session as the stream has it (INTERPRETED) or the night (COMPILED)."""
    for name, value in options.items():
        spark.conf.set(name, value)
    yield
    for name, value in COMPILED.items():
        spark.conf.set(name, value)


def records(spark: SparkSession, cases: Sequence[Case]) -> DataFrame:
    """Cases as records: a case's number in the sequence is its offset."""
    head = {"partition": 0, "arrival": ARRIVAL, "headers": None}
    rows = [
        {**head, "topic": one.topic, "offset": place, "key": one.key, "value": one.value}
        for place, one in enumerate(cases)
    ]
    return frame(spark, rows, RECORD)


def of_set(cases: Sequence[Case], contracts: Sequence[Contract]) -> list[Case]:
    """The cases of these contracts' encodings."""
    known = {(one.topic, one.encoding) for one in contracts}
    return [one for one in cases if (one.topic, one.encoding) in known]


def complaints(
    spark: SparkSession, cases: Sequence[Case], contracts: Sequence[Contract]
) -> tuple[list[tuple[str, Case]], pa.Table]:
    """What is wrong with what the platform says of cases; and what it says, in the order of the cases."""
    sent = records(spark, cases)
    with set_to(spark, INTERPRETED):
        fast = validate_by(sent, contracts).toArrow().sort_by("offset")
    slow = validate_by(sent, contracts, fast=False).toArrow().sort_by("offset")
    if fast["offset"].to_pylist() != list(range(len(cases))):
        return [(f"of {len(cases)} records {fast.num_rows} have a verdict", cases[0])], fast
    found = []
    known = [name for name in fast.column_names if name not in ("key", "value", "headers")]
    quick, long = (table.select(known).to_pylist(maps_as_pydicts="strict") for table in (fast, slow))
    for case, row, other in zip(cases, quick, long, strict=True):
        if row != other:
            found.append((f"the two ways differ: {row['reasons']} and {other['reasons']}", case))
        found += [(wrong, case) for wrong in against(judged(case), row, BY_TOPIC[case.topic])]
    return found, fast


def against(verdict: Verdict, row: Mapping[str, Any], contract: Contract) -> Iterator[str]:
    """Where the platform's row says another thing than the verdict."""
    if not verdict.is_sure:
        return
    if (verdict.event is None) != bool(row["reasons"]):
        yield f"{row['reasons'] or 'accepted'}, and it is {verdict.why or 'valid'}"
    elif verdict.event is not None:
        names = contract.payload.fieldNames()
        said = {name: value for name, value in (row[contract.column] or {}).items() if value is not None}
        head = {name: row[name] for name in HEAD} | {"event_time": round(row["event_time"].timestamp() * 1000)}
        wanted = dict(verdict.event)
        if contract.captured:
            del head["event_id"], wanted["event_id"]
        if {**head, **said} != wanted:
            yield f"read as { ({**head, **said}) }"
        yield from (
            f"has {other}" for other in row if other in BY_TOPIC and other != contract.column and row[other] is not None
        )
        if not names:
            yield "has no field"
