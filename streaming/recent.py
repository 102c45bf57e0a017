"""What silver already has: the arrivals that a new event may repeat, found at a cost that does not grow with silver.

Data flow: ids and times of a micro-batch -> (memory for on-time ids, silver's own days for late ones) -> written arrivals
Run: pytest tests/streaming/test_recent.py

A duplicate has its original's event time. So an on-time event can only repeat one of the last `delay`, which are kept in
memory (rate x delay entries); only late events are looked up in silver, and only around their own event times.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

from infra import lake
from infra.rows import frame
from streaming.silver import SILVER

NEIGHBOURHOOD_MS = 600_000
"""Late event times closer than this are looked up as one range, so that a range prunes files and the filter stays short."""

ID = StructType([StructField("event_id", StringType())])
KNOWN = StructType([*ID, StructField("content_hash", LongType())])


@dataclass(frozen=True)
class Arrival:
    """One valid event of a micro-batch: epoch milliseconds, hash of its content."""

    event_id: str
    time_ms: int
    content_hash: int


class Recent:
    """Ids and content hashes of the accepted events at or after the gate."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, int]] = {}

    def restore(self, session: SparkSession, gate_ms: int | None, lineage: str, batch_id: int) -> None:
        """Fill from silver with what earlier batches accepted at or after the gate."""
        if gate_ms is None:
            return
        rows = (
            lake.read(session, SILVER)
            .where(F.col("day") >= F.to_date(F.timestamp_millis(F.lit(gate_ms))))
            .where(F.col("event_time") >= F.timestamp_millis(F.lit(gate_ms)))
            .where(~((F.col("lineage") == lineage) & (F.col("batch_id") >= batch_id)))
            .select("event_id", F.unix_millis("event_time").alias("time_ms"), "content_hash")
        )
        for row in rows.toLocalIterator():
            self._seen[row["event_id"]] = (row["time_ms"], row["content_hash"])

    def known(self, arrivals: Iterable[Arrival]) -> list[tuple[str, int]]:
        """(event_id, content_hash) of the written arrivals that these repeat, as far as memory reaches."""
        return [(a.event_id, self._seen[a.event_id][1]) for a in arrivals if a.event_id in self._seen]

    def add(self, arrivals: Iterable[Arrival], gate_ms: int | None) -> None:
        """Remember a written batch and forget what is now behind the gate."""
        for arrival in arrivals:
            self._seen.setdefault(arrival.event_id, (arrival.time_ms, arrival.content_hash))
        if gate_ms is not None:
            self._seen = {id_: seen for id_, seen in self._seen.items() if seen[0] >= gate_ms}


def late_known(session: SparkSession, late: Sequence[Arrival], lineage: str, batch_id: int) -> list[tuple[str, int]]:
    """(event_id, content_hash) of the written arrivals that late events repeat, from silver around their event times."""
    if not late:
        return []
    ids = frame(session, [{"event_id": a.event_id} for a in late], ID)
    found = (
        lake.read(session, SILVER)
        .where(_around([a.time_ms for a in late]))
        .where(~((F.col("lineage") == lineage) & (F.col("batch_id") >= batch_id)))
        .join(F.broadcast(ids), "event_id", "left_semi")
        .select("event_id", "content_hash")
    )
    return [(row["event_id"], row["content_hash"]) for row in found.collect()]


def _around(times: Sequence[int]) -> Column:
    """A filter on `day` and `event_time` that holds for these times and prunes silver's files."""
    ordered = sorted(set(times))
    ranges = [[ordered[0], ordered[0]]]
    for time in ordered[1:]:
        if time - ranges[-1][1] <= NEIGHBOURHOOD_MS:
            ranges[-1][1] = time
        else:
            ranges.append([time, time])
    days = sorted({datetime.fromtimestamp(time / 1000, UTC).date() for time in ordered})
    near = F.lit(False)
    for low, high in ranges:
        near = near | F.col("event_time").between(F.timestamp_millis(F.lit(low)), F.timestamp_millis(F.lit(high)))
    return F.col("day").isin(days) & near


def as_written(session: SparkSession, known: Sequence[tuple[str, int]], like: DataFrame) -> DataFrame:
    """Written arrivals as rows beside judged ones: `written` true, no reasons, everything else null."""
    rows = frame(session, [{"event_id": event_id, "content_hash": content} for event_id, content in set(known)], KNOWN)
    return (
        like.where(F.lit(False))
        .drop("event_id", "content_hash", "written", "reasons")
        .unionByName(
            rows.withColumn("written", F.lit(True)).withColumn("reasons", F.array().cast("array<string>")),
            allowMissingColumns=True,
        )
    )
