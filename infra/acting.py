"""Which writer of tables a process is: Kafka and the lake's store are told alike.

Data flow: Writer -> the user of Kafka, the user of the lake's store
Run: python -m streaming
"""

from collections.abc import Iterator
from contextlib import contextmanager

from infra.kafka import login as of_kafka
from infra.kafka_users import User as KafkaUser
from infra.lake import login as of_lake
from infra.lake.tables import Writer
from infra.store_users import User as StoreUser


def act_as(writer: Writer) -> None:
    """From now on this process is the stream, or the night."""
    of_kafka.act_as(KafkaUser(writer.value))
    of_lake.act_as(StoreUser(writer.value))


@contextmanager
def acting_as(writer: Writer) -> Iterator[None]:
    """The same until the end of this block, for a command of a person's."""
    before = of_kafka.acting(), of_lake.acting()
    act_as(writer)
    try:
        yield
    finally:
        of_kafka.act_as(before[0])
        of_lake.act_as(before[1])
