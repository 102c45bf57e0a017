"""Ingest: one micro-batch from Kafka into bronze, silver and quarantine.

Data flow: Kafka records -> bronze -> judge -> outcomes -> silver, quarantine -> progress
Run: python -m streaming
"""

from datetime import UTC, datetime, timedelta
from functools import cached_property

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from infra import lake
from infra.drills import point
from infra.lease import Lease
from infra.settings import settings
from infra.writes import append_once
from streaming import gate as gates
from streaming.bronze import BRONZE, records
from streaming.checkpoint import Checkpoints
from streaming.judge import judge
from streaming.progress import INGEST, MicroBatch, Offset
from streaming.reasons import Outcome
from streaming.recent import Arrival, Recent, as_written, late_known
from streaming.repeats import ARRIVAL_ORDER, outcomes
from streaming.silver import QUARANTINE, SILVER, accepted, late_by, rejected


class Ingest:
    """The state that ingest keeps between micro-batches: the gate and the recent ids. Both are rebuilt from tables."""

    def __init__(
        self, session: SparkSession, checkpoints: Checkpoints, lineage: str, definition: str, lease: Lease
    ) -> None:
        self._session = session
        self._checkpoints = checkpoints
        self._lineage = lineage
        self._definition = definition
        self._lease = lease
        self._gate: gates.Gate | None = None
        self._recent = Recent()

    def __call__(self, kafka: DataFrame, batch_id: int) -> None:
        """Write one micro-batch; repeated after a crash it writes the same rows, once."""
        self._lease.check()
        planned = self._checkpoints.planned(INGEST, batch_id)
        batch = MicroBatch(INGEST, self._lineage, batch_id, planned, self._definition)
        batch.offsets = self._offsets(batch_id, planned.sources[0])
        gate = self._restored(batch_id)
        batch.gate = None if gate.at is None else datetime.fromtimestamp(gate.at / 1000, UTC)
        stamp = {"batch_id": F.lit(batch_id).cast("long"), "lineage": F.lit(self._lineage)}
        point("ingest.before-bronze")

        raw = records(kafka).coalesce(self._width).persist()
        judged = judge(raw).coalesce(self._width).withColumn("written", F.lit(False)).persist()
        try:
            with batch.timed("bronze"):
                append_once(raw.withColumns(stamp), BRONZE, batch.writer, batch_id)
            batch.shown(BRONZE)
            point("ingest.after-bronze")
            with batch.timed("judge"):
                arrivals = _arrivals(judged)
            with batch.timed("repeats"):
                known = self._known(arrivals, gate, batch_id)
            candidates = judged.unionByName(as_written(self._session, known, judged)) if known else judged
            decided = outcomes(candidates).where(~F.col("written")).withColumn("late_by_ms", late_by(gate.at)).persist()
            try:
                self._write(decided, batch, stamp)
            finally:
                decided.unpersist()
        finally:
            judged.unpersist()
            raw.unpersist()
        self._advance(arrivals, gate, batch)
        with batch.timed("total"):
            batch.record(self._session)
        point("ingest.after-progress")

    @cached_property
    def _width(self) -> int:
        return max(1, self._session.sparkContext.defaultParallelism // 2)

    def _write(self, decided: DataFrame, batch: MicroBatch, stamp: dict[str, Column]) -> None:
        with batch.timed("silver"):
            late = F.when(F.col("outcome") == Outcome.ACCEPTED.value, F.col("late_by_ms")).otherwise(0)
            events = accepted(decided.withColumn("late_by_ms", late), self._definition, "late_by_ms")
            append_once(events.withColumns(stamp), SILVER, batch.writer, batch.batch_id)
        batch.shown(SILVER)
        point("ingest.after-silver")
        counts = decided.groupBy("outcome").agg(
            F.count("*").alias("rows"),
            F.count_if((F.col("late_by_ms") > 0) & (F.col("outcome") == Outcome.ACCEPTED.value)).alias("late"),
        )
        found = {row["outcome"]: row for row in counts.collect()}
        batch.rows = {outcome.value: found[outcome]["rows"] if outcome in found else 0 for outcome in Outcome}
        batch.rows["late"] = sum(row["late"] for row in found.values())
        batch.rows["read"] = sum(batch.rows[outcome.value] for outcome in Outcome)
        if batch.rows[Outcome.REJECTED] + batch.rows[Outcome.CONFLICT]:
            with batch.timed("quarantine"):
                append_once(rejected(decided).withColumns(stamp), QUARANTINE, batch.writer, batch.batch_id)
            batch.shown(QUARANTINE)
        batch.versions = {table.id: lake.version(self._session, table) for table in (SILVER,)}

    def _restored(self, batch_id: int) -> gates.Gate:
        if self._gate is None:
            delay = timedelta(seconds=settings().delay_seconds)
            self._gate = gates.restored(self._session, delay, self._lineage, batch_id)
            self._recent.restore(self._session, self._gate.at, self._lineage, batch_id)
        return self._gate

    def _known(self, arrivals: list[Arrival], gate: gates.Gate, batch_id: int) -> list[tuple[str, int]]:
        if gate.at is None:
            return []
        late = [arrival for arrival in arrivals if arrival.time_ms < gate.at]
        return self._recent.known(arrivals) + late_known(self._session, late, self._lineage, batch_id)

    def _advance(self, arrivals: list[Arrival], gate: gates.Gate, batch: MicroBatch) -> None:
        largest = max((arrival.time_ms for arrival in arrivals), default=None)
        if largest is not None:
            batch.max_event_time = datetime.fromtimestamp(largest / 1000, UTC)
        gate.saw(largest)
        self._recent.add(arrivals, gate.at)

    def _offsets(self, batch_id: int, end: dict[str, dict[str, int]]) -> list[Offset]:
        start = (
            self._checkpoints.planned(INGEST, batch_id - 1).sources[0]
            if batch_id
            else self._checkpoints.started_from(INGEST)
        )
        return [
            (topic, int(partition), start.get(topic, {}).get(partition, 0), to)
            for topic, partitions in end.items()
            for partition, to in partitions.items()
        ]


def _arrivals(judged: DataFrame) -> list[Arrival]:
    """The valid events of a micro-batch in the order of their arrival; bounded by the rate limit."""
    valid = judged.where(F.size("reasons") == 0)
    time_ms = F.unix_millis("event_time").alias("time_ms")
    table = valid.select("event_id", time_ms, "content_hash", *ARRIVAL_ORDER).toArrow()
    ordered = table.sort_by([(column, "ascending") for column in ARRIVAL_ORDER])
    columns = (ordered[name].to_pylist() for name in ("event_id", "time_ms", "content_hash"))
    return [Arrival(*row) for row in zip(*columns, strict=True)]
