"""Zip bombs: what a codec packs into little, unpacked it is 50 MB and more; the stream reads it at its usual heap, and goes on.

Data flow: zeros, as one record or as thousands, by each codec -> Kafka -> stream and archive -> quarantine
Run: pytest -m soak tests/platform/test_92_bombs.py
"""

from collections import Counter
from datetime import UTC, datetime, timedelta

import psutil
import pyarrow.compute as pc
import pytest
from confluent_kafka import Producer
from running import Platform
from traffic import placed

from infra.lake import reader

pytestmark = [pytest.mark.platform, pytest.mark.soak, pytest.mark.timeout(3600)]

MB = 1 << 20
TOPIC = "searches"
ONE = {"gzip": 50 * MB, "snappy": 15 * MB, "lz4": 50 * MB, "zstd": 50 * MB}
"""One record: Snappy packs zeros to a twentieth, and the broker takes a batch of 1 MB as packed."""
THOUSANDS, EACH = 5_000, 10_000
LARGE, OF_MB = 250, 4
"""A GB, of as many records as the stream takes from Kafka at once."""
CODECS = tuple(ONE)
MOST_MB = 2_600
"""The stream's heap is 1,280 MB; the rest is its Python, the JVM's own memory and Arrow's."""


def send(platform: Platform, codec: str, sizes: list[int]) -> Counter[int]:
    """Records of zeros, packed into as few batches as they fit into; the sizes that the broker took."""
    acked: Counter[int] = Counter()
    producer = Producer(
        {
            **platform.kafka,
            "compression.type": codec,
            "message.max.bytes": 500 * MB,
            "queue.buffering.max.kbytes": 2 * MB,
            "batch.size": 500 * MB,
            "batch.num.messages": 10_000,
            "linger.ms": 3_000,
        }
    )
    for size in sizes:
        report = lambda failure, _, size=size: acked.update([size] if failure is None else [])  # noqa: E731
        producer.produce(TOPIC, bytes(size), b"bomb", 0, on_delivery=report)
    assert producer.flush(300) == 0
    return acked


def held(platform: Platform, layer: str) -> Counter[int]:
    """The sizes of all bombs in a table."""
    found = reader.read(platform.settings, layer, ["key", "value"])
    sizes = pc.binary_length(found.filter(pc.equal(found["key"], b"bomb"))["value"])
    return Counter(sizes.to_pylist())


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("shape", ["one", "thousands", "large"])
def test_a_bomb_is_quarantined_and_the_stream_goes_on(platform: Platform, codec: str, shape: str) -> None:
    platform.wait_healthy("stream")
    before = int(platform.status("stream")["pid"])
    sizes = {"one": [ONE[codec]], "thousands": [EACH] * THOUSANDS, "large": [OF_MB * MB] * LARGE}[shape]
    known = held(platform, "silver/quarantine") if platform.exists("silver/quarantine") else Counter()
    acked = send(platform, codec, sizes)
    assert acked or codec in ("snappy", "lz4"), "the broker took nothing"
    platform.send([placed(f"behind {codec} {shape}", datetime.now(UTC))])
    platform.wait_drained(600)
    now = int(platform.status("stream")["pid"])
    # A GB in so many records fills its memory once: Kafka's client unpacks them before anyone sees their size.
    assert now == before or shape == "large", "it has ended, and was started again"
    family = [psutil.Process(now), *psutil.Process(now).children(recursive=True)]
    used, again = sum(one.memory_info().rss for one in family) // MB, "" if now == before else ", started again"
    print(f"{codec} {shape}: {acked.total()} taken, {used} MB{again}", flush=True)
    assert held(platform, "silver/quarantine") - known == acked
    assert used < MOST_MB


def test_the_night_reads_them_too(platform: Platform) -> None:
    platform.run("batch", "archive", "--date", str(datetime.now(UTC).date() - timedelta(days=1)))
    assert held(platform, "archive/events") == held(platform, "silver/quarantine")
