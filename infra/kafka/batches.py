"""The batches of a partition's log as the broker keeps them, with the markers and the aborted records of transactions.

Data flow: Kafka's fetch response, undecoded -> Batch
Run: pytest tests/infra/test_batches.py
Source: Kafka's protocol guide, "Record Batch".

A consumer is never shown a marker, so it cannot tell one from a record that was removed. The request goes out by the Java
client in Spark's own process, with the settings of Spark's Kafka source, so every way to log in works.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from infra.cause import sentence
from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.places import At
from infra.kafka.spark_source import spark_options
from infra.settings import Settings

HEADER = struct.Struct(">qiibIhiqqqhii")
"""Of a batch: first offset, length behind it, leader epoch, magic, checksum, attributes, last offset less the first, two
times, producer's id, its epoch, first sequence number, number of records."""
BEFORE_LENGTH = 12
MAGIC = 2
TRANSACTIONAL, CONTROL = 0x10, 0x20
FETCH_BYTES = 1 << 20
BY_NAME = 12
"""Highest version of a fetch request that names topics; later ones give their ids."""
TIMEOUT_MS = 20_000


@dataclass(frozen=True)
class Batch:
    """Offsets [start, end) of one batch; compaction may have left fewer `records` in it. `is_control`: only markers."""

    start: int
    end: int
    records: int
    is_transactional: bool
    is_control: bool

    @property
    def is_whole(self) -> bool:
        """Has it a record for every offset?"""
        return self.records == self.end - self.start


def parsed(data: bytes) -> Iterator[Batch]:
    """The batches in the bytes of a fetch response, of which the last may be cut off. Older formats have none."""
    at = 0
    while at + HEADER.size <= len(data):
        first, length, _, magic, _, attributes, delta, *_, records = HEADER.unpack_from(data, at)
        if magic == MAGIC:
            yield Batch(first, first + delta + 1, records, bool(attributes & TRANSACTIONAL), bool(attributes & CONTROL))
        at += BEFORE_LENGTH + length


class Batches:
    """Reads batches of one partition after the other. Raises TransientFailure if the partition's leader does not answer."""

    def __init__(self, session: SparkSession, s: Settings) -> None:
        jvm: Any = session._jvm
        self._jvm: Any = jvm
        self._kafka: Any = jvm.org.apache.kafka
        with client.answers():
            self._cluster = client.admin().list_topics(timeout=20)
        self._time = self._kafka.common.utils.Time.SYSTEM
        self._nodes = self._kafka.clients.ManualMetadataUpdater()
        self._client = self._connected(s)

    def from_offset(self, at: At, offset: int) -> list[Batch]:
        """The batches at and behind an offset, some FETCH_BYTES of them; none at the log's end."""
        node = self._leader(at)
        partition = self._kafka.common.TopicPartition(*at)
        nothing = self._jvm.java.util.Optional.empty()
        no_id = self._kafka.common.Uuid.ZERO_UUID
        wanted = self._jvm.java.util.HashMap()
        place = self._kafka.common.requests.FetchRequest.PartitionData
        wanted[partition] = place(no_id, offset, -1, FETCH_BYTES, nothing)
        request = self._kafka.common.requests.FetchRequest.Builder.forConsumer(BY_NAME, 1000, 1, wanted)
        try:
            self._kafka.clients.NetworkClientUtils.awaitReady(self._client, node, self._time, TIMEOUT_MS)
            now = self._time.milliseconds()
            sent = self._client.newClientRequest(node.idString(), request, now, True, TIMEOUT_MS, None)
            answer = self._kafka.clients.NetworkClientUtils.sendAndReceive(
                self._client, sent, self._time
            ).responseBody()
            (found,) = answer.data().responses().get(0).partitions()
            problem = self._kafka.common.protocol.Errors.forCode(found.errorCode())
            if problem.code():
                raise TransientFailure(f"{at[0]}-{at[1]} cannot be read at {offset}: {problem.message()}")
            records = self._kafka.common.requests.FetchResponse.recordsOrFail(found)
            data = bytes(self._kafka.common.utils.Utils.toArray(records.buffer()))
        except Py4JJavaError as failure:
            raise TransientFailure(f"{at[0]}-{at[1]} cannot be read at {offset}: {sentence(str(failure))}") from failure
        return [batch for batch in parsed(data) if batch.end > offset]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _leader(self, at: At) -> Any:
        topic, number = at
        if topic not in self._cluster.topics or number not in self._cluster.topics[topic].partitions:
            raise TransientFailure(f"Kafka has no partition {topic}-{number} (any more): see `daybreak status`")
        broker = self._cluster.brokers[self._cluster.topics[topic].partitions[number].leader]
        return self._kafka.common.Node(broker.id, broker.host, broker.port)

    def _connected(self, s: Settings) -> Any:
        options = {
            name.removeprefix("kafka."): value
            for name, value in spark_options(s, ()).items()
            if name.startswith("kafka.")
        }
        settings = self._jvm.java.util.HashMap()
        for name, value in options.items():
            settings[name] = value
        for side in ("key", "value"):
            settings[f"{side}.deserializer"] = "org.apache.kafka.common.serialization.ByteArrayDeserializer"
        return self._kafka.clients.ClientUtils.createNetworkClient(
            self._kafka.clients.consumer.ConsumerConfig(settings),
            "daybreak-batches",
            self._kafka.common.metrics.Metrics(),
            "daybreak-batches",
            self._kafka.common.utils.LogContext(),
            self._kafka.clients.ApiVersions(),
            self._time,
            1,
            TIMEOUT_MS,
            self._nodes,
            self._kafka.clients.DefaultHostResolver(),
        )
