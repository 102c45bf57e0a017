"""The always-on stream: one driver and one query, which fills bronze, silver and every view.

Data flow: Kafka -> validated records -> ingest, watched until it fails or a signal comes
Run: python -m streaming
"""

import json
import signal
import time
from types import FrameType

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from infra import out_of_memory
from infra.acting import act_as
from infra.cause import sentence
from infra.failing import failed
from infra.failures import PermanentFailure, TransientFailure
from infra.kafka.topic_ids import topic_ids
from infra.lake import spark_tables
from infra.lake.lease import Lease
from infra.lake.login import refusal
from infra.lake.tables import Writer
from infra.session import spark
from infra.settings import Settings, settings
from infra.spark_conf import FEW_ROWS
from streaming.all_tables import speed_tables, stream_tables
from streaming.contracts import CONTRACTS
from streaming.lineage.start import Said, of_stream
from streaming.micro_batch.ingest import Ingest
from streaming.micro_batch.query import begun, begun_again, ended_between_two
from streaming.monitor.consumer_group import Published
from streaming.positions import clocks, topic_settings, topics
from streaming.positions.checkpoint import Checkpoints, SourceOffsets
from streaming.positions.log import log_now
from streaming.positions.resume import refuse_other_logs, resume
from streaming.process import working_folder
from streaming.process.status_file import write_status
from streaming.process.upkeep import Upkeep
from streaming.quarantine.rejections import Rejections
from streaming.recovery import power_loss
from streaming.recovery.restate import restate
from streaming.tables.progress import INGEST
from streaming.versions import generation as generations
from streaming.versions.definition_cache import known_definitions


def session() -> SparkSession:
    """The stream's Spark session."""
    s = settings()
    # A rebuild has it too.
    working_folder.of(s).mkdir(parents=True, exist_ok=True)
    jvm = f"{s.stream_jvm} -Djava.io.tmpdir={working_folder.of(s)}"
    return spark("daybreak stream", s.stream_memory, "stream_memory", jvm, spark_settings(s))


def spark_settings(s: Settings) -> dict[str, str]:
    """The stream's Spark settings; those in DAYBREAK_SPARK_CONF and DAYBREAK_STREAM_CONF override them."""
    return {
        **(FEW_ROWS if s.stream_profile == "small" else {}),
        "spark.ui.enabled": "true",
        "spark.ui.port": str(s.stream_ui_port),
        "spark.port.maxRetries": "0",
        "spark.sql.streaming.stopTimeout": "20s",
        "spark.local.dir": str(working_folder.of(s)),
        **s.of_stream,
    }


def create_tables(session: SparkSession) -> None:
    """Create the stream's tables that do not exist yet."""
    spark_tables.create_missing(session, stream_tables(), often_written=True)


def run() -> None:
    """Run until SIGTERM or SIGINT. Raises TransientFailure when the query fails; supervisor then restarts it."""
    act_as(Writer.STREAM)
    stop = _on_signal()
    write_status("waiting for the lease")
    with Lease("stream") as lease, of_stream() as said:
        # Before a topic that is gone is made again.
        refuse_other_logs(topic_ids(CONTRACTS))
        write_status("starting Spark")
        working_folder.emptied(settings())
        own = _started()
        topics.create()
        topic_settings.look()
        create_tables(own)
        checkpoints = Checkpoints(own)
        power_loss.check(checkpoints, INGEST)
        versions = known_definitions(own)
        said.know(own, versions)
        generation = generations.settled(checkpoints, versions)
        ids = resume(own, checkpoints, generation, log_now())
        restate(own, generation, versions, checkpoints.start())
        published = Published()
        published.publish(checkpoints.resumes_at(INGEST))
        captured = {one.topic for one in CONTRACTS.values() if one.captured}
        rejections = Rejections(settings().alarm_share, captured)
        ingest = Ingest(own, checkpoints, generation, versions, speed_tables(), lease, rejections, ids)
        upkeep = Upkeep(stream_tables())
        query = begun(own, ingest, checkpoints, generation)
        upkeep.start()
        clock = clocks.SetBack()
        try:
            while not _watch(query, ingest, published, clock, stop, said):
                query = begun_again(own, ingest, checkpoints, generation)
        except (Py4JError, OSError) as gone:
            # The signal went to Spark's JVM too, which may have ended first.
            if not stop:
                _name(ingest, gone)
                raise
        finally:
            write_status("stopping")
            _end(query, own, stop)
            upkeep.stop()


def _started() -> SparkSession:
    """The session. What keeps it from starting again and again is told like a micro-batch that fails."""
    try:
        return session()
    except TransientFailure as failure:
        failed(None, "", str(failure))
        raise


def _name(ingest: Ingest, gone: Exception) -> None:
    """Count the micro-batch at which the heap was full. Raises TransientFailure if it was."""
    if why := out_of_memory.found(gone):
        failed(*ingest.at, why)
        raise TransientFailure(why) from gone


def _end(query: StreamingQuery, session: SparkSession, stop: list[int]) -> None:
    """End the query and Spark; after a signal Spark may have ended already."""
    try:
        query.stop()
        session.stop()
    except (Py4JError, OSError):
        if not stop:
            raise


def _watch(
    query: StreamingQuery, ingest: Ingest, published: Published, clock: clocks.SetBack, stop: list[int], said: Said
) -> bool:
    """Until a signal comes, or (False) until the query has ended for another rate, or for a clock that was set back."""
    while not stop:
        clock.look()
        if clock.waits and ended_between_two(query, ingest):
            clock.waits = False
            return False
        failure = query.exception()
        if failure is not None and ingest.rate.ended_at is not None:
            return False
        if failure is not None:
            failed(*ingest.at, str(failure))
            if why := refusal(str(failure)):
                raise PermanentFailure(f"the query {query.name} failed: {why}") from failure
            raise TransientFailure(f"the query {query.name} failed: {sentence(str(failure))}") from failure
        if not query.isActive:
            raise TransientFailure(f"the query {query.name} stopped")
        published.publish(_read_to(query))
        said.at(ingest.finished)
        doing = query.status["message"]
        write_status("running", doing, ingest.finished, ingest.held, ingest.notices(), ingest.reads_back)
        time.sleep(1)
    return True


def _read_to(ingest: StreamingQuery) -> SourceOffsets:
    """The end offsets of the last committed micro-batch; empty before the first one since the start."""
    progress = ingest.lastProgress
    ends: SourceOffsets = (json.loads(progress.sources[0].endOffset) or {}) if progress else {}
    return ends


def _on_signal() -> list[int]:
    received: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        received.append(number)

    signal.signal(signal.SIGTERM, remember)
    signal.signal(signal.SIGINT, remember)
    return received
