"""Settings of Kafka: how many embedded brokers there are, or where your own are, and how clients speak to them.

Data flow: DAYBREAK_KAFKA_BROKERS, DAYBREAK_KAFKA_BOOTSTRAP, ... -> Settings
Run: daybreak up --only kafka
"""

from typing import Any

from pydantic import Field, field_validator

from infra.kafka_users import KafkaUsers
from infra.port_settings import Ports
from infra.tls_settings import address

PORTS = {1: "kafka_port", 2: "kafka_2_port", 3: "kafka_3_port"}
"""The setting of each broker's port."""
SIZES = (1, 3)


def _bootstrap(known: dict[str, Any]) -> str:
    """All brokers: a client that knows one only cannot begin while that is away."""
    return ",".join(address(known, PORTS[number]) for number in range(1, known.get("kafka_brokers", 1) + 1))


class KafkaSettings(Ports, KafkaUsers):
    """The log's brokers and clients."""

    kafka_brokers: int = Field(
        1, description="Embedded brokers: 1, or 3 that replicate; a home keeps the number that it was made with"
    )
    kafka_bootstrap: str = Field(default_factory=_bootstrap, description="Kafka bootstrap servers")
    kafka_client: dict[str, str] = Field(
        default_factory=dict, description="More Kafka client options as JSON, e.g. security.protocol (librdkafka names)"
    )
    kafka_spark: dict[str, str] = Field(
        default_factory=dict,
        description="The same for Spark's Kafka source: Java names with their prefix, e.g. kafka.security.protocol",
    )
    publishes: bool = Field(
        True,
        description="Are alerts, corrections and the stream's position sent to Kafka? A try's are not (`daybreak plan --try`)",
    )
    kafka_replication: int = Field(
        default_factory=lambda known: known.get("kafka_brokers", 1),
        ge=1,
        description="Replication factor of created topics",
    )
    kafka_cluster_id: str = Field("", description="Cluster id of the embedded brokers; generated")
    kafka_memory: str = Field("512m", description="Heap of each embedded broker")

    @field_validator("kafka_brokers")
    @classmethod
    def _a_quorum(cls, brokers: int) -> int:
        if brokers not in SIZES:
            raise ValueError("1 broker, or 3, of which any one may die; of 2 none may, and 4 endure no more than 3")
        return brokers
