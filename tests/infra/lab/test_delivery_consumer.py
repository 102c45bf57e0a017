"""The delivery lab's consumer as a process that dies, against librdkafka's own in-process broker."""

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from infra.lab.delivery_consumer import Job, Mode
from infra.lab.kills import BATCH, Kill, Place
from infra.settings import ROOT

RECORDS = 3 * BATCH
PARTITIONS = 4
"""So many has every topic of the in-process broker."""


@pytest.fixture
def bootstrap() -> Iterator[str]:
    """A broker with a topic `input`, whose records are all in partition 0, and an empty topic `output`."""
    mother = Producer({"test.mock.num.brokers": "1", "log_level": 0})
    for number in range(RECORDS):
        mother.produce("input", str(number).encode(), partition=0)
    mother.list_topics("output", timeout=20)
    assert mother.flush(20) == 0
    (node,) = mother.list_topics(timeout=20).brokers.values()
    yield f"{node.host}:{node.port}"
    del mother


def test_a_job_comes_as_it_was_written() -> None:
    job = Job({"a": 1}, Mode.EXACTLY_ONCE, "input", "output", 2, Kill(2, Place.WRITING, 4))
    assert Job.read(job.text()) == job


@pytest.mark.parametrize(
    ("mode", "place", "committed", "written"),
    [
        (Mode.AT_MOST_ONCE, Place.READ, BATCH, BATCH),
        (Mode.AT_MOST_ONCE, Place.BETWEEN, 2 * BATCH, BATCH),
        (Mode.AT_MOST_ONCE, Place.WRITING, 2 * BATCH, BATCH + 4),
        (Mode.AT_LEAST_ONCE, Place.BETWEEN, BATCH, 2 * BATCH),
        (Mode.AT_LEAST_ONCE, Place.WRITING, BATCH, BATCH + 4),
        (Mode.AT_LEAST_ONCE, Place.DONE, 2 * BATCH, 2 * BATCH),
    ],
)
def test_it_dies_in_its_second_batch_where_it_is_told_to(
    bootstrap: str, mode: Mode, place: Place, committed: int, written: int
) -> None:
    job = Job({"bootstrap.servers": bootstrap, "log_level": 0}, mode, "input", "output", PARTITIONS, Kill(2, place, 4))
    command = [sys.executable, "-m", "infra.lab.delivery_consumer"]
    ended = subprocess.run(command, cwd=ROOT, input=job.text(), capture_output=True, text=True, timeout=120)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    reader = Consumer({"bootstrap.servers": bootstrap, "group.id": "output", "log_level": 0})
    (at,) = reader.committed([TopicPartition("input", 0)], timeout=20)
    ends = [
        reader.get_watermark_offsets(TopicPartition("output", number), timeout=20)[1] for number in range(PARTITIONS)
    ]
    reader.close()
    assert (at.offset, sum(ends)) == (committed, written)
