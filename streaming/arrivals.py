"""A micro-batch in the driver: the outcome of each validated record, and the rows of each table (Arrow).

Data flow: validated rows and known event ids -> outcomes -> rows of bronze, silver, quarantine
Run: pytest tests/streaming/test_arrivals.py

The nightly batch finds the same outcomes with Spark (deduplicate.outcomes), on any number of rows. A test compares
both.
"""

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from infra.kafka.places import At
from streaming.bronze import RECORD
from streaming.dedup_index import Arrival
from streaming.deduplicate import ARRIVAL_ORDER
from streaming.definitions import of_one_event
from streaming.reasons import Outcome, Reason
from streaming.silver import EVENT, REJECTED

TEXTS = pa.list_(pa.string())


def in_order(validated: pa.Table) -> pa.Table:
    """Validated rows in the order of their arrival."""
    return validated.sort_by([(column, "ascending") for column in ARRIVAL_ORDER])


def is_valid(validated: pa.Table) -> pa.Array:
    """One boolean per row: does it break no rule?"""
    return pc.equal(pc.list_value_length(validated["reasons"]), 0)


def valid(validated: pa.Table) -> list[Arrival]:
    """The valid events among validated rows, in their order."""
    events = validated.filter(is_valid(validated))
    times = events["event_time"].cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    columns = (column.to_pylist() for column in (events["event_id"], times, events["content_hash"]))
    return [Arrival(*row) for row in zip(*columns, strict=True)]


def latest_times(validated: pa.Table, partitions: Collection[At]) -> list[int | None]:
    """The latest event time (epoch ms) of the valid rows of each partition; None for one without any."""
    events = validated.filter(is_valid(validated))
    latest = events.group_by(["topic", "partition"]).aggregate([("event_time", "max")])
    times = latest["event_time_max"].cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    columns = (column.to_pylist() for column in (latest["topic"], latest["partition"], times))
    found = {(topic, partition): time for topic, partition, time in zip(*columns, strict=True)}
    return [found.get(at) for at in sorted(partitions)]


def outcomes(validated: pa.Table, arrivals: list[Arrival], known: Mapping[str, int]) -> pa.Array:
    """One outcome per validated row, in order of arrival.

    `arrivals` are the valid rows in that order; `known` maps event_id -> content_hash of events that silver already
    has.
    """
    first = dict(known)
    found = []
    events = iter(arrivals)
    for is_event in is_valid(validated).to_pylist():
        if not is_event:
            found.append(Outcome.REJECTED.value)
            continue
        event = next(events)
        content = first.get(event.event_id)
        if content is None:
            first[event.event_id] = event.content_hash
            found.append(Outcome.ACCEPTED.value)
        else:
            found.append(Outcome.DUPLICATE.value if content == event.content_hash else Outcome.CONFLICT.value)
    return pa.array(found, pa.string())


def bronze_rows(validated: pa.Table, stamp: Mapping[str, Any]) -> pa.Table:
    """Every record, unchanged, with the columns of `stamp`."""
    return stamped(validated.select(RECORD.fieldNames()), stamp)


def silver_rows(
    validated: pa.Table,
    outcome: pa.Array,
    definitions: Mapping[str, str],
    watermark_ms: int | None,
    stamp: Mapping[str, Any],
) -> pa.Table:
    """The accepted events in the columns of silver, with their contract's version and `late_by_ms`."""
    events = validated.filter(pc.equal(outcome, Outcome.ACCEPTED.value))
    times = events["event_time"].cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    late_by = (
        pc.max_element_wise(pc.subtract(watermark_ms, times), 0) if watermark_ms is not None else pc.multiply(times, 0)
    )
    kinds = zip(events["topic"].to_pylist(), events["schema_version"].to_pylist(), strict=True)
    values = {
        "key": events["key"].cast(pa.string()),
        "day": events["event_time"].cast(pa.date32(), safe=False),
        "definition": pa.array([of_one_event(definitions, *event) for event in kinds], pa.string()),
    }
    columns = {name: values[name] if name in values else events[name] for name in EVENT.fieldNames()}
    return stamped(pa.table({**columns, "late_by_ms": late_by}), stamp)


def quarantine_rows(validated: pa.Table, outcome: pa.Array, stamp: Mapping[str, Any]) -> pa.Table:
    """The rejected and the conflicting records, each with all its reasons."""
    is_conflict = pc.equal(outcome, Outcome.CONFLICT.value)
    rows = validated.append_column("conflict", is_conflict).filter(
        pc.or_(is_conflict, pc.equal(outcome, Outcome.REJECTED.value))
    )
    reasons = [
        [*reasons, Reason.CONFLICT.value] if conflict else reasons
        for reasons, conflict in zip(rows["reasons"].to_pylist(), rows["conflict"].to_pylist(), strict=True)
    ]
    values = {"reasons": pa.array(reasons, TEXTS), "day": rows["arrival"].cast(pa.date32(), safe=False)}
    columns = {name: values[name] if name in values else rows[name] for name in REJECTED.fieldNames()}
    return stamped(pa.table(columns), stamp)


def stamped(rows: pa.Table, stamp: Mapping[str, Any]) -> pa.Table:
    """The rows with a constant column for each entry of `stamp`."""
    for name, value in stamp.items():
        rows = rows.append_column(name, pa.repeat(value, rows.num_rows))
    return rows


def arrow_schema(schema: StructType) -> pa.Schema:
    """A table's schema in Arrow, times in UTC."""
    return to_arrow_schema(schema, timezone="UTC")
