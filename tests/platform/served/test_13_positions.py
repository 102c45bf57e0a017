"""A partition is added whose first records are gone, and a topic is made again under its name: on a real broker, by Spark itself.

The very last: it leaves the platform with a topic that stream and night refuse.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic
from running import Platform, until

from infra import problems
from infra.failures import PERMANENT_EXIT
from infra.kafka.topic_ids import topic_ids
from infra.services.program import Name

pytestmark = pytest.mark.platform

TOPIC, GONE, SENT = "clicks", 3, 8
DAY = datetime.now(UTC).date() - timedelta(days=8)


@pytest.fixture(scope="module")
def admin(platform: Platform) -> Iterator[AdminClient]:
    """The stream stands still while a topic is changed; at the end it stays so."""
    platform.wait_drained()
    platform.run("batch", "archive", "--date", str(DAY))
    platform.supervisor().stop("stream", wait=True)
    yield AdminClient(platform.kafka)
    if platform.supervisor().processes()[Name.STREAM].state.is_up:
        platform.supervisor().stop("stream", wait=True)


def send(platform: Platform, partition: int, count: int) -> None:
    producer = Producer(platform.kafka)
    for number in range(count):
        producer.produce(TOPIC, f"no click, {number}".encode(), partition=partition)
    assert producer.flush(30) == 0


def test_an_added_partition_is_read_from_where_its_log_begins(platform: Platform, admin: AdminClient) -> None:
    new = len(admin.list_topics(TOPIC, timeout=30).topics[TOPIC].partitions)
    admin.create_partitions([NewPartitions(TOPIC, new + 1)])[TOPIC].result(30)
    until("the partition is there", lambda: len(admin.list_topics(TOPIC, timeout=30).topics[TOPIC].partitions) > new)
    send(platform, new, SENT)
    for removed in admin.delete_records([TopicPartition(TOPIC, new, GONE)]).values():
        assert removed.result(timeout=30).low_watermark == GONE
    platform.supervisor().begin("stream")
    platform.wait_drained()
    places = platform.rows("bronze/events", "topic", "partition", "offset")
    found = [row["offset"] for row in places if (row["topic"], row["partition"]) == (TOPIC, new)]
    assert sorted(found) == list(range(GONE, SENT))
    gaps = [(row["partition"], row["from"], row["to"], row["cause"]) for row in platform.rows("bronze/gaps")]
    assert (new, 0, GONE, "retention") in gaps
    night = platform.run("batch", "archive", "--date", str(DAY), check=False)
    assert night.returncode == PERMANENT_EXIT
    assert f"{TOPIC}-{new} [0, {GONE}) ({GONE} records): removed by retention before a night read them" in night.stderr
    kept = {one.id for one in problems.problems(platform.settings)}
    assert {f"log.gap/{reader}/{TOPIC}-{new}" for reader in ("stream", "archive")} <= kept
    platform.run("batch", "accept-gaps", "--note", "a test", "--by", "ada")
    platform.run("batch", "archive", "--date", str(DAY))
    assert not [one.id for one in problems.problems(platform.settings) if one.id.startswith("log.")]


def test_a_topic_made_again_is_refused_however_long_it_is(platform: Platform, admin: AdminClient) -> None:
    platform.supervisor().stop("stream", wait=True)
    ends, before = platform.ends(), topic_ids([TOPIC], admin)[TOPIC]
    partitions = len([topic for topic, _ in ends if topic == TOPIC])
    admin.delete_topics([TOPIC])[TOPIC].result(30)
    until("the topic is gone", lambda: TOPIC not in topic_ids([TOPIC], admin))
    config = {"message.timestamp.type": "LogAppendTime"}
    admin.create_topics([NewTopic(TOPIC, partitions, 1, config=config)])[TOPIC].result(30)
    until("it is there again", lambda: topic_ids([TOPIC], admin).get(TOPIC, before) != before)
    for partition in range(partitions):
        send(platform, partition, ends[TOPIC, partition] + 2)
    rows = platform.table("bronze/events").version(), platform.table("archive/events").version()
    for command in (["streaming"], ["streaming", "rebuild"], ["batch", "archive", "--date", str(DAY)]):
        refused = platform.run(*command, check=False)
        assert refused.returncode == PERMANENT_EXIT, refused.stderr
        assert f"the topic {TOPIC} was deleted and made again: its id was {before}" in refused.stderr
    assert rows == (platform.table("bronze/events").version(), platform.table("archive/events").version())
    kept = {one.id for one in problems.problems(platform.settings)}
    assert {f"log.replaced/{reader}/{TOPIC}" for reader in ("stream", "archive")} <= kept
