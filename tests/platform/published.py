"""What the stream's consumer group says, asked for as Kafka's own command line does.

Data flow: Kafka's group offsets -> by topic and partition
Run: pytest tests/platform/served/test_10_lag.py
"""

from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient
from running import Platform, until

from infra.kafka.places import Ends


def admin(platform: Platform) -> AdminClient:
    return AdminClient(platform.kafka)


def in_group(platform: Platform) -> Ends:
    """The group's offsets."""
    group, own = platform.settings.consumer_group, admin(platform)
    found = own.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)], request_timeout=30)[group].result()
    return {(at.topic, at.partition): at.offset for at in found.topic_partitions}


def wait_published(platform: Platform) -> None:
    until("the group says the log's ends", lambda: in_group(platform) == platform.ends())
