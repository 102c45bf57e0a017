"""The stream's one query: its plan, its end, and a new one in its place, at another rate or by another clock.

Data flow: Kafka -> validated records -> ingest
Run: python -m streaming
"""

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from infra.failures import TransientFailure
from infra.kafka.spark_source import spark_options
from infra.settings import settings
from streaming.contracts import CONTRACTS
from streaming.micro_batch.ingest import Ingest
from streaming.micro_batch.rate import sized
from streaming.positions import topics
from streaming.positions.checkpoint import Checkpoints
from streaming.tables.bronze import records
from streaming.tables.progress import INGEST, named
from streaming.validation.validate import validate


def begun(session: SparkSession, ingest: Ingest, checkpoints: Checkpoints, generation: str) -> StreamingQuery:
    """The query, which runs from now on."""
    s = settings()
    kafka = (
        session.readStream.format("kafka")
        .options(**spark_options(s, CONTRACTS, ingest.rate.at_once))
        .option("startingOffsets", topics.starting_offsets(checkpoints.start()))
        .option("maxOffsetsPerTrigger", ingest.rate.limit)
        .load()
    )
    return (
        # Validated before the query starts, so that the plan is made once and not with every micro-batch.
        validate(sized(gathered(records(kafka))))
        .writeStream.queryName(INGEST)
        .option("checkpointLocation", checkpoints.of(INGEST))
        .trigger(processingTime=f"{s.trigger_seconds} seconds")
        .foreachBatch(named(ingest, generation))
        .start()
    )


def gathered(found: DataFrame) -> DataFrame:
    """A task per core. Else Spark runs one for each partition of each topic with new records."""
    return found.coalesce(found.sparkSession.sparkContext.defaultParallelism)


def begun_again(session: SparkSession, ingest: Ingest, checkpoints: Checkpoints, generation: str) -> StreamingQuery:
    """The query anew: at another rate, if the micro-batch that it ended at has written nothing, and is planned again."""
    if ingest.rate.ended_at is not None:
        checkpoints.forget_plan(INGEST, ingest.rate.restarted())
    return begun(session, ingest, checkpoints, generation)


def ended_between_two(query: StreamingQuery, ingest: Ingest) -> bool:
    """End the query, unless it is at a micro-batch. Raises TransientFailure if one began just then: its writes may go on."""
    if query.status["isTriggerActive"] or ingest.at[0] is not None:
        return False
    query.stop()
    if ingest.at[0] is not None:
        raise TransientFailure("the clock was set back, and a micro-batch began as the query ended")
    return True
