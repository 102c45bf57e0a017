"""What an event costs as JSON, Avro and Protobuf: bytes on the wire and CPU, uncompressed and with the producer's codecs.

Data flow: a day of the shop -> producers of librdkafka, a mock broker; Spark's validation -> a table
Run: make bench-encodings

Bytes are those that librdkafka says it has sent (`txbytes`): record batches as its own codecs compress them, and the
protocol around them. The broker is librdkafka's own, in another process. All figures of a table are from one run.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple

from confluent_kafka import Producer
from pyspark.sql import SparkSession
from rich.console import Console
from rich.table import Table

from infra.session import spark
from infra.shop.faults import Faults
from infra.shop.run import Run
from infra.spark_conf import FEW_ROWS
from streaming.contracts import CONTRACTS
from streaming.encodings import avro, protobuf
from streaming.tables.bronze import RECORD
from streaming.validation.validate import validate_by
from tests.bench.cpu import Meter

EVENTS = 60_000
DAY_MS = 86_400_000
END_MS = 1_780_000_000_000
CODECS = ("none", "lz4", "zstd", "gzip")
ENCODINGS = ("json", "avro", "protobuf")
LINGER_MS = 50
TURNS = 4
"""Of these the first ones are the JVM's warm-up."""
SCHEMAS_OF = ("orders", "payments")


class Event(NamedTuple):
    """One event of the shop: topic, key, value as it was sent, and the same value decoded."""

    topic: str
    key: bytes
    value: bytes
    decoded: dict[str, Any]


class Sent(NamedTuple):
    """What a producer sent: bytes on the wire, and its CPU seconds, to encode and to send."""

    wire: int
    encoding: float
    sending: float


def day(count: int) -> list[Event]:
    """A day of the shop without faults, about `count` events of the topics that have stored schemas."""
    faults = Faults(duplicates=0, late=0, malformed=0, future=0)
    copies = islice(Run(END_MS - DAY_MS, END_MS, count / 86_400, 1, END_MS, faults).records(), count)
    own = [copy for copy in copies if copy.topic in SCHEMAS_OF]
    return [Event(copy.topic, copy.key or b"", copy.value or b"", json.loads(copy.value or b"{}")) for copy in own]


def encoded(event: Event, encoding: str) -> bytes:
    """The event's value in an encoding."""
    if encoding == "avro":
        return avro.encode(event.topic, event.decoded)
    if encoding == "protobuf":
        return protobuf.encode(event.topic, event.decoded)
    return json.dumps(event.decoded, separators=(",", ":")).encode()


def produce(bootstrap: str, count: int, encoding: str, codec: str) -> Sent:
    """Encode the day, and send it with one producer; in a process of its own, so that its CPU is its own."""
    events = day(count)
    began = time.process_time()
    values = [encoded(event, encoding) for event in events]
    between = time.process_time()
    wire = [0]

    def counted(text: str) -> None:
        wire[0] = sum(broker["txbytes"] for broker in json.loads(text)["brokers"].values())

    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "compression.type": codec,
            "linger.ms": LINGER_MS,
            "statistics.interval.ms": 100,
            "stats_cb": counted,
        }
    )
    for event, value in zip(events, values, strict=True):
        while True:
            try:
                producer.produce(event.topic, value, event.key)
                break
            except BufferError:
                producer.poll(0.1)
    if left := producer.flush(120):
        raise RuntimeError(f"{left} records were not sent")
    ended = time.process_time()
    before = -1
    while before != wire[0] or not wire[0]:
        # The last batches are counted by the next statistics.
        before = wire[0]
        producer.poll(0.3)
    return Sent(wire[0], between - began, ended - between)


def validation(session: SparkSession, events: Sequence[Event]) -> dict[str, float]:
    """CPU seconds in which Spark validates the events by encoding, Python's workers included; the least of several turns."""
    arrival = datetime.fromtimestamp(END_MS / 1000, UTC)
    records = {}
    for encoding in ENCODINGS:
        rows = [(one.topic, 0, at, arrival, one.key, encoded(one, encoding), None) for at, one in enumerate(events)]
        records[encoding] = session.createDataFrame(rows, RECORD).repartition(1).persist()
        records[encoding].count()
    spent: dict[str, list[float]] = {encoding: [] for encoding in ENCODINGS}
    for _ in range(TURNS):
        for encoding in ENCODINGS:
            contracts = [replace(CONTRACTS[topic], encoding=encoding) for topic in SCHEMAS_OF]  # type: ignore[arg-type]
            with Meter({"spark": os.getpid()}) as meter:
                broken = validate_by(records[encoding], contracts).where("size(reasons) > 0").count()
            spent[encoding].append(meter.total())
            if broken:
                raise RuntimeError(f"{broken} of the shop's events are not valid as {encoding}")
    return {encoding: min(turns) for encoding, turns in spent.items()}


def main(count: int) -> None:
    """Measure, and print the table."""
    events = day(count)
    mother = Producer({"test.mock.num.brokers": "1", "log_level": 0})
    (node,) = mother.list_topics(timeout=20).brokers.values()
    bootstrap = f"{node.host}:{node.port}"
    sent: dict[tuple[str, str], Sent] = {}
    for encoding in ENCODINGS:
        for codec in CODECS:
            with ProcessPoolExecutor(1, get_context("spawn")) as alone:
                sent[encoding, codec] = alone.submit(produce, bootstrap, count, encoding, codec).result()
    session = spark("daybreak bench encodings", "1g", "night_memory", "", FEW_ROWS)
    read = validation(session, events)
    session.stop()
    show(len(events), sent, read)


def show(count: int, sent: dict[tuple[str, str], Sent], read: dict[str, float]) -> None:
    """The table: per event, and beside JSON without compression."""
    table = Table(title=f"{count:,} events of a day of the shop, per event")
    for name in ("encoding", "codec", "bytes", "of plain JSON", "encode, CPU µs", "send, CPU µs", "validate, CPU µs"):
        table.add_column(name, justify="left" if name in ("encoding", "codec") else "right")
    plain = sent["json", "none"].wire
    for (encoding, codec), one in sent.items():
        costs = (one.encoding, one.sending, read[encoding])
        micros = [f"{cost / count * 1_000_000:.1f}" for cost in costs]
        table.add_row(encoding, codec, f"{one.wire / count:.0f}", f"{one.wire / plain:.0%}", *micros)
    Console(width=110).print(table)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS)
