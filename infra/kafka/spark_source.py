"""Options of Spark's Kafka source, as the stream and the night read topics.

Data flow: Settings, topics -> options of `format("kafka")`
Run: pytest tests/infra/test_spark_source.py
"""

from collections.abc import Collection

from infra.kafka import login
from infra.settings import Settings

FEW_AT_ONCE, MANY_AT_ONCE = 50, 250
"""Records of a poll, which are in memory at once, unpacked: of Kafka's 500 at 1 MB each two tasks would fill a driver's heap.
Spark asks the broker twice after each poll, so with 50 the stream, which must keep up, took a quarter more CPU per record."""


SEVERAL_BROKERS = {
    # Spark's client asks a partition's leader for its end. If that dies at this moment, the question is never answered: with
    # Kafka's 60 s the stream would stand still for so long, and another broker leads after 9 s. Spark asks again.
    "kafka.request.timeout.ms": "20000",
    "kafka.default.api.timeout.ms": "20000",
    "fetchOffset.numRetries": "9",
}
"""Of topics with replicas. Three times a minute, as Spark asks of one broker, are nine times twenty seconds."""


def spark_options(s: Settings, topics: Collection[str], at_once: int = FEW_AT_ONCE) -> dict[str, str]:
    """Every record of the topics with its headers; a read fails if records that it should return were deleted.

    `at_once`: the most records that a task holds at once.
    """
    return {
        "kafka.bootstrap.servers": s.kafka_bootstrap,
        # Spark asks for a partition's bounds behind a fetch for records that do not exist yet, and the broker answers in
        # order: with Kafka's 500 ms a micro-batch waits so long for one partition after the other.
        "kafka.fetch.max.wait.ms": "10",
        "kafka.max.poll.records": str(at_once),
        **(SEVERAL_BROKERS if s.kafka_replication > 1 else {}),
        **login.of_spark(s),
        **s.kafka_spark,
        "subscribe": ",".join(topics),
        # A record of an open or aborted transaction is none yet, or never.
        "kafka.isolation.level": "read_committed",
        "includeHeaders": "true",
        "failOnDataLoss": "true",
    }
