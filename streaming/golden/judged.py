"""The records of a golden day under the contracts as they are now.

Data flow: Records -> validate, deduplicate -> accepted events in order of arrival, rejected records with their reasons
Run: pytest tests/streaming/test_second_project.py
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from infra.failures import PermanentFailure
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.deduplication.deduplicate import outcomes
from streaming.golden.both_layers import LATE
from streaming.golden.record import Record
from streaming.tables.bronze import RECORD
from streaming.tables.silver import accepted, rejected
from streaming.validation.validate import validate_by

SENT = StructType([*RECORD.fields, StructField("late_by_ms", LongType())])
Numbered = tuple[int, Record]


class Judged(NamedTuple):
    """`events`: the accepted, in order of arrival (LATE). `rejected`: number of the record, topic and reasons of each other."""

    events: pa.Table
    rejected: list[dict[str, Any]]


def judged(session: SparkSession, records: Sequence[Record]) -> Judged:
    """What becomes of each record; its number is from 1 on. Raises PermanentFailure if one is of no topic of the project."""
    if unknown := sorted({one.topic for one in records} - {*CONTRACTS}):
        raise PermanentFailure(
            f"records of {', '.join(unknown)}, and the project has no such topic: it has {', '.join(CONTRACTS)}"
        )
    found = _outcomes(session, list(enumerate(records, 1))).persist()
    events = accepted(found, "", "late_by_ms").orderBy("offset").toArrow().cast(LATE)
    rows = rejected(found).orderBy("offset").select("offset", "topic", "reasons").collect()
    found.unpersist()
    return Judged(
        events, [{"record": row["offset"], "topic": row["topic"], "rejected": row["reasons"]} for row in rows]
    )


def _outcomes(session: SparkSession, records: list[Numbered]) -> DataFrame:
    plain = [one for one in records if _is_json_of_another(one[1])]
    found = _validated(session, [one for one in records if one not in plain], CONTRACTS)
    if plain:
        as_json = {topic: replace(one, encoding="json", captured=None) for topic, one in CONTRACTS.items()}
        found = found.unionByName(_validated(session, plain, as_json))
    # An event that was rejected when it arrived, and is none any more, is not late.
    late = F.coalesce("late_by_ms", F.lit(0).cast("long"))
    return outcomes(found.withColumns({"written": F.lit(False), "late_by_ms": late}))


def _is_json_of_another(record: Record) -> bool:
    """An accepted event is kept as JSON, however its topic's values are written."""
    return isinstance(record.value, dict) and CONTRACTS[record.topic].encoding != "json"


def _validated(session: SparkSession, records: Iterable[Numbered], contracts: Mapping[str, Contract]) -> DataFrame:
    sent = [
        (
            one.topic,
            0,
            number,
            one.arrival,
            None if one.key is None else one.key.encode(),
            one.bytes,
            None,
            one.late_by_ms,
        )
        for number, one in records
    ]
    return validate_by(session.createDataFrame(sent, SENT), list(contracts.values()))
