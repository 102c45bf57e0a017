"""The values of single records, read in Spark's driver past its rows: in memory once, where a plan holds them a dozen times.

Data flow: places in the log -> Kafka's own client in the driver's JVM -> files -> bytes
Run: pytest tests/platform/test_00_deployed.py tests/platform/test_02_poison.py

The client unpacks a batch record by record: one of a GB, as producers pack zeros into a MB, is never whole in memory.
"""

import time
from collections.abc import Collection, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.sql import SparkSession

from infra.failures import TransientFailure
from infra.kafka.places import At
from infra.kafka.spark_source import spark_options
from infra.settings import Settings

SECONDS = 60
PREFIX = "kafka."
Place = tuple[str, int, int]
"""Topic, partition, offset."""


def values_at(session: SparkSession, s: Settings, places: Collection[Place]) -> dict[Place, bytes | None]:
    """The value of the record at each of these places; None where it has none.

    Reads each partition from the first of its places to the last. Raises TransientFailure if one of them has no record, or if
    Kafka does not answer.
    """
    jvm: Any = session.sparkContext._jvm
    options, found = jvm.java.util.HashMap(), dict[Place, bytes | None]()
    for name, value in _options(s).items():
        options.put(name, value)
    client = jvm.org.apache.kafka.common.serialization.ByteBufferDeserializer
    consumer = jvm.org.apache.kafka.clients.consumer.KafkaConsumer(options, client(), client())
    try:
        with TemporaryDirectory(dir=session.sparkContext._temp_dir) as folder:
            for at in sorted({place[:2] for place in places}):
                offsets = sorted(place[2] for place in places if place[:2] == at)
                found |= {
                    (*at, offset): own
                    for offset, own in _of_partition(jvm, consumer, at, offsets, Path(folder) / "value")
                }
    finally:
        consumer.close()
    return found


def _options(s: Settings) -> dict[str, str]:
    spark = spark_options(s, [], at_once=1)
    own = {name.removeprefix(PREFIX): value for name, value in spark.items() if name.startswith(PREFIX)}
    return own | {"auto.offset.reset": "none", "enable.auto.commit": "false"}


def _of_partition(
    jvm: Any, consumer: Any, at: At, offsets: list[int], file: Path
) -> Iterator[tuple[int, bytes | None]]:
    place, wanted = jvm.org.apache.kafka.common.TopicPartition(*at), set(offsets)
    consumer.assign(jvm.java.util.List.of(place))
    consumer.seek(place, offsets[0])
    give_up = time.monotonic() + SECONDS
    while wanted:
        records = consumer.poll(jvm.java.time.Duration.ofSeconds(1)).iterator()
        if not records.hasNext():
            # Markers of transactions are none, and end a poll too.
            if time.monotonic() > give_up:
                raise TransientFailure(f"Kafka does not give the record at {_text(at, min(wanted))} within {SECONDS} s")
            continue
        record = records.next()
        offset = int(record.offset())
        if offset > min(wanted):
            raise TransientFailure(f"Kafka has no record at {_text(at, min(wanted))} any more")
        if offset in wanted:
            wanted.discard(offset)
            yield offset, _bytes(jvm, record.value(), file)


def _bytes(jvm: Any, value: Any, file: Path) -> bytes | None:
    """By way of a file: Py4J would carry them as text."""
    if value is None:
        return None
    stream = jvm.java.io.FileOutputStream(str(file))
    try:
        channel = stream.getChannel()
        while value.hasRemaining():
            channel.write(value)
    finally:
        stream.close()
    return file.read_bytes()


def _text(at: At, offset: int) -> str:
    return f"{at[0]}-{at[1]}, offset {offset}"
