"""A micro-batch in the driver: the outcome of each validated record, and the rows of each table (Arrow).

Data flow: validated rows and known event ids -> outcomes -> rows of bronze, silver, quarantine
Run: pytest tests/streaming/test_arrivals.py

The nightly batch finds the same outcomes with Spark (deduplicate.outcomes), on any number of rows. A test compares
both.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from infra.kafka.places import At
from streaming.deduplication.deduplicate import ARRIVAL_ORDER
from streaming.deduplication.event_ids import Arrived, Known
from streaming.reasons import Outcome, Reason
from streaming.tables.bronze import RECORD
from streaming.tables.silver import EVENT, REJECTED
from streaming.versions.definitions import of_one_event

TEXTS = pa.list_(pa.string())
CODES = tuple(Outcome)
NAMES = pa.array([code.value for code in CODES], pa.string())
"""Of the outcomes, each at the place of its code."""
BETWEEN = "\x1f"


def in_order(validated: pa.Table) -> pa.Table:
    """Validated rows in the order of their arrival."""
    return validated.sort_by([(column, "ascending") for column in ARRIVAL_ORDER])


def is_valid(validated: pa.Table) -> pa.Array:
    """One boolean per row: does it break no rule?"""
    return pc.equal(pc.list_value_length(validated["reasons"]), 0)


def valid(validated: pa.Table) -> Arrived:
    """The valid events among validated rows, in their order."""
    events = validated.filter(is_valid(validated))
    times = events["event_time"].cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    return Arrived(events["event_id"].combine_chunks(), np.asarray(times), np.asarray(events["content_hash"]))


def latest_times(validated: pa.Table, partitions: Collection[At]) -> list[int | None]:
    """The latest event time (epoch ms) of the valid rows of each partition; None for one without any."""
    events = validated.filter(is_valid(validated))
    latest = events.group_by(["topic", "partition"]).aggregate([("event_time", "max")])
    times = latest["event_time_max"].cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    columns = (column.to_pylist() for column in (latest["topic"], latest["partition"], times))
    found = {(topic, partition): time for topic, partition, time in zip(*columns, strict=True)}
    return [found.get(at) for at in sorted(partitions)]


def outcomes(validated: pa.Table, arrived: Arrived, known: Known) -> pa.Array:
    """One outcome per validated row, in order of arrival.

    `arrived` are the valid rows in that order; `known` says which of these repeat events that silver already has. What is known
    of the first arrival of an id counts for all.
    """
    first = arrived.firsts
    is_known = known.found[first]
    content = np.where(is_known, known.contents[first], arrived.contents[first])
    repeats = np.where(content == arrived.contents, CODES.index(Outcome.DUPLICATE), CODES.index(Outcome.CONFLICT))
    is_new = ~is_known & (first == np.arange(len(arrived)))
    found = np.full(validated.num_rows, CODES.index(Outcome.REJECTED), np.int32)
    found[np.asarray(is_valid(validated))] = np.where(is_new, CODES.index(Outcome.ACCEPTED), repeats)
    return NAMES.take(pa.array(found))


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
    values = {
        "key": events["key"].cast(pa.string()),
        "day": events["event_time"].cast(pa.date32(), safe=False),
        "definition": _definition(events, definitions),
    }
    columns = {name: values[name] if name in values else events[name] for name in EVENT.fieldNames()}
    return stamped(pa.table({**columns, "late_by_ms": late_by}), stamp)


def _definition(events: pa.Table, definitions: Mapping[str, str]) -> pa.Array:
    """The version of the contract that validated each event: a few, whatever the number of events."""
    version = events["schema_version"].cast(pa.string())
    kinds = pc.binary_join_element_wise(events["topic"], version, BETWEEN).combine_chunks().dictionary_encode()
    pairs = (kind.split(BETWEEN) for kind in kinds.dictionary.to_pylist())
    found = [of_one_event(definitions, topic, int(number)) for topic, number in pairs]
    return pa.array(found, pa.string()).take(kinds.indices)


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
