"""Ingest: one micro-batch from Kafka into bronze, silver, quarantine and every view.

Data flow: validated Kafka records -> Arrow -> outcomes -> bronze, silver, quarantine -> speed/<view> -> progress
Run: python -m streaming

One Spark job decodes the records and collects them in the driver as Arrow, which delta-rs writes, because its commits are cheap.
Values that change with every micro-batch (its number, its watermark) are added in Arrow: so Spark reuses its compiled code.
"""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from infra.failing import succeeded, was_full
from infra.failpoints import point
from infra.lake.arrow_tables import files, latest
from infra.lake.lease import Lease
from infra.lake.tables import Table
from infra.settings import settings
from streaming.contracts import CONTRACTS
from streaming.deduplication.dedup_index import DedupIndex
from streaming.deduplication.event_ids import Arrived, Known, nothing_known
from streaming.deduplication.late_duplicates import LateIndex
from streaming.deduplication.stored_hashes import comparable
from streaming.micro_batch import outcomes as rows_of
from streaming.micro_batch.alerts import Alerts
from streaming.micro_batch.in_driver import InDriver
from streaming.micro_batch.in_tasks import InTasks
from streaming.micro_batch.rate import Rate
from streaming.positions import clocks
from streaming.positions import watermark as watermarks
from streaming.positions.backlog import Backlog
from streaming.positions.checkpoint import Checkpoints, ranges
from streaming.positions.held_back import HeldBack
from streaming.positions.patience import Patience
from streaming.positions.same_log import still
from streaming.quarantine import wrong_rows
from streaming.quarantine.rejections import Rejections
from streaming.reasons import Outcome
from streaming.state.recovery import Recovery
from streaming.state.restore import recent_since
from streaming.tables.progress import INGEST, MicroBatch, no_rows
from streaming.tables.silver import SILVER

COMMITS_AT_ONCE = 8


class Ingest:
    """The state between micro-batches: watermark, recent ids, open rows. A restart rebuilds it from the tables."""

    def __init__(
        self,
        session: SparkSession,
        checkpoints: Checkpoints,
        generation: str,
        definitions: Mapping[str, str],
        speed: Mapping[str, Table],
        lease: Lease,
        rejections: Rejections,
        ids: Mapping[str, str] | None = None,
    ) -> None:
        self._checkpoints, self._generation, self._definitions = checkpoints, generation, definitions
        self._speed, self._lease, self._rejections, self._topic_ids = speed, lease, rejections, ids or {}
        self.at: tuple[int | None, str] = None, ""
        """The micro-batch that is being written, and its offset ranges as text; None and empty between two."""
        self.finished: dict[str, float] | None = None
        """The last micro-batch since the start: its `id`, and `finished_at` in epoch seconds."""
        self.reads_back = ""
        """What it reads back after a start, before its first micro-batch; empty when it has."""
        self.held: dict[str, tuple[int, int]] = {}
        """Rows and bytes that are kept for views after the last micro-batch, as `Keeping.held` gives them."""
        self._watermark: watermarks.Watermark | None = None
        self._times = clocks.Times(generation)
        self._backlog, self._patience = Backlog(checkpoints), Patience(checkpoints)
        self.held_back = HeldBack()
        self.rate = Rate(session, was_full(settings()))
        self._recent = DedupIndex()
        self._comparable = comparable(session, definitions)
        self._late = LateIndex(files(SILVER), self._comparable)
        self._alerts = Alerts(generation)
        self._pool = ThreadPoolExecutor(COMMITS_AT_ONCE, "commit")
        # To plan all views takes as long as Spark to plan the query: both at once.
        self._begun = self._pool.submit(Recovery, session, checkpoints, generation, definitions, speed)
        self._rows: InDriver | InTasks = InDriver(self.rate, speed, definitions)
        if settings().keeps_rows_in_tasks:
            self._rows = InTasks(session, checkpoints, self.rate, speed, definitions)
        clocks.started()

    def __call__(self, validated: DataFrame, batch_id: int) -> None:
        """Write one micro-batch of validated records; repeated, it writes no row twice. Nothing of another log is written."""
        self._lease.check()
        planned = self._checkpoints.planned(INGEST, batch_id)
        as_of = self._times.of(planned.as_of, batch_id)
        batch = MicroBatch(INGEST, self._generation, batch_id, as_of, self._definitions)
        batch.offsets = ranges(self._checkpoints, INGEST, batch_id, planned.ends)
        self.at = batch_id, ", ".join(f"{topic}-{part} [{start}, {end})" for topic, part, start, end in batch.offsets)
        # Asked while Spark reads, so it takes no time: what arrives from here on came after what this micro-batch reads.
        self.held_back.ask(self._pool, [(topic, part) for topic, part, *_ in batch.offsets])
        watermark = self._restored(batch_id)
        batch.watermark = watermarks.moment(watermark.at)
        point("ingest.before-bronze")
        with batch.timed("total"):
            with batch.timed("validate"):
                records = self._rows.read(validated, batch)
                # Asked when the records are here, and answered before any of them is written.
                is_same = self._pool.submit(still, self._topic_ids, self.held_back.admin)
                arrived = rows_of.valid(records)
            with batch.timed("repeats"):
                outcome = rows_of.outcomes(records, arrived, self._known(arrived, watermark, batch_id))
                is_same.result()
            self._write(records, outcome, watermark, batch)
            self._advance(records, arrived, watermark, batch)
            with batch.timed("views"):
                self._write_views(batch)
        batch.record()
        point("ingest.after-progress")
        pa.default_memory_pool().release_unused()
        succeeded()
        self.held = self._recovery.views.held()
        self.at = None, ""
        self.finished = {"id": batch_id, "finished_at": time.time()}

    @property
    def _recovery(self) -> Recovery:
        return self._begun.result()

    def notices(self) -> list[str]:
        """Sentences for `daybreak status`."""
        hot = self._recovery.views.hot.notices() if self._begun.done() else ()
        return [*self._rejections.notices(), *self.held_back.notices(), *hot]

    def _tell(self, what: str) -> None:
        self.reads_back = what

    def _write(self, records: pa.Table, outcome: pa.Array, watermark: watermarks.Watermark, batch: MicroBatch) -> None:
        with batch.timed("bronze"):
            late = self._rows.decided(outcome, watermark.at, batch)
            self._rows.bronze(batch)
        point("ingest.after-bronze")
        with batch.timed("silver"):
            self._rows.silver(batch)
        point("ingest.after-silver")
        found: dict[str, int] = {row["values"]: row["counts"] for row in outcome.value_counts().to_pylist()}
        batch.rows = no_rows() | found | {"late": late, "read": records.num_rows}
        rejected = None
        if batch.rows[Outcome.REJECTED] + batch.rows[Outcome.CONFLICT]:
            with batch.timed("quarantine"):
                rejected = self._rows.quarantine(batch)
        self._rejections.count(records, rejected)
        captured = {one.topic: one.captured for one in CONTRACTS.values() if one.captured}
        wrong_rows.told(settings(), records, outcome, captured)
        point("ingest.after-quarantine")

    def _write_views(self, batch: MicroBatch) -> None:
        views = self._recovery.views
        waits = self._patience.more_comes(batch.batch_id, self.held_back.more_comes(batch.offsets), views.hot.is_large)
        rows = self._rows.views(views, batch, waits, self._pool.map)
        point("ingest.after-speed")
        self._alerts.send(rows, batch.batch_id, batch.as_of)

    def _restored(self, batch_id: int) -> watermarks.Watermark:
        if self._watermark is None:
            self._watermark = watermarks.restored(self._generation, batch_id)
            if self._watermark.at is not None:
                self._tell("the ids of events within the delay")
                self._recent.restore(recent_since(self._watermark.at, self._generation, batch_id, self._comparable))
            if rows := self._recovery.begin(batch_id, self._watermark.at, self._tell):
                self._alerts.restore(rows)
            self._tell("")
        return self._watermark

    def _known(self, arrived: Arrived, watermark: watermarks.Watermark, batch_id: int) -> Known:
        if watermark.at is None:
            return nothing_known(arrived)
        known, is_late = self._recent.known(arrived, watermark.at), arrived.times_ms < watermark.at
        if is_late.any():
            late = arrived.where(is_late)
            known.add(arrived, self._late.known(latest(SILVER), late, self._generation, batch_id))
        return known

    def _advance(self, records: pa.Table, arrived: Arrived, watermark: watermarks.Watermark, batch: MicroBatch) -> None:
        largest = arrived.latest_ms
        batch.max_event_time = watermarks.moment(largest)
        behind = self._backlog.behind(
            batch.batch_id, batch.offsets, self.held_back.waits(batch.offsets), self.rate.limit
        )
        self.rate.waits(self._backlog.waiting)
        clocks.follow(watermark, largest, rows_of.latest_times(records, behind) if behind else (), batch.as_of)
        batch.aligned_event_time = watermarks.moment(watermark.aligned_ms)
        batch.next_watermark = watermarks.moment(watermark.at)
        self._recent.add(arrived, watermark.at)
