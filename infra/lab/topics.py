"""The topics of a lab: created for one run, filled, and deleted with their consumer groups at its end.

Data flow: names -> Kafka topics `lab-<lab>-<run>-<name>`; numbers -> records
Run: daybreak lab delivery

No name is used twice, so a lab touches nothing of yours and two labs may run at once. A topic whose name begins with
`lab-` while no lab runs was left by a lab that was killed: delete it.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from uuid import uuid4

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import NewTopic  # type: ignore[attr-defined]

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.create import create

SECONDS = 20
KEEPS_ALL = {"cleanup.policy": "delete"}
GONE = (KafkaError.GROUP_ID_NOT_FOUND, KafkaError.UNKNOWN_TOPIC_OR_PART)


@contextmanager
def topics(
    lab: str,
    names: Sequence[str],
    partitions: int,
    replication: int,
    configs: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> Iterator[list[str]]:
    """Yield the full names of new topics of `partitions` partitions each, in the order of `names`.

    `configs`: by name, the configuration of a topic that shall not simply keep its records.
    At the end they are deleted, and so are consumer groups whose names begin as the topics' do.
    Raises TransientFailure if Kafka does not answer, PermanentFailure if it refuses a topic.
    """
    prefix = f"lab-{lab}-{uuid4().hex[:8]}-"
    full = [prefix + name for name in names]
    with client.answers():
        # Asked first, because only this call has a time limit of its own.
        client.admin().list_topics(timeout=10)
    try:
        with client.answers():
            _create({prefix + name: configs.get(name, KEEPS_ALL) for name in names}, partitions, replication)
        yield full
    finally:
        _delete(prefix, full)


def fill(topic: str, values: Sequence[str], partitions: int) -> None:
    """Send `values` to the partitions in turn. Raises TransientFailure unless the broker takes all of them."""
    send(topic, [(number % partitions, None, value) for number, value in enumerate(values)])


def send(topic: str, records: Sequence[tuple[int, str | None, str | None]]) -> None:
    """Send records (partition, key, value; without a value: a tombstone). Raises TransientFailure as `fill` does."""
    errors: list[KafkaError] = []

    def report(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            errors.append(error)

    producer = Producer(client.options() | {"enable.idempotence": "true", "acks": "all"})
    for partition, key, value in records:
        producer.produce(topic, value, key, partition=partition, on_delivery=report)
    left = producer.flush(SECONDS)
    if left or errors:
        why = errors[0].str() if errors else "no answer"
        raise TransientFailure(f"Kafka did not take {left + len(errors)} of {len(records)} records of the lab: {why}")


def _create(configs: Mapping[str, Mapping[str, str]], partitions: int, replication: int) -> None:
    new = [NewTopic(topic, partitions, replication, config=dict(config)) for topic, config in configs.items()]
    admin = client.admin()
    create(admin, new)
    give_up = time.monotonic() + SECONDS
    while configs.keys() - admin.list_topics(timeout=SECONDS).topics.keys():
        if time.monotonic() > give_up:
            raise TransientFailure(f"Kafka does not list the lab's new topics within {SECONDS} s")
        time.sleep(0.1)


def _delete(prefix: str, full: Sequence[str]) -> None:
    admin = client.admin()
    with client.answers():
        for deleted in admin.delete_topics(list(full)).values():
            _settle(deleted.result)
        give_up = time.monotonic() + SECONDS
        while own := [
            one.group_id for one in admin.list_consumer_groups().result().valid if one.group_id.startswith(prefix)
        ]:
            for deleted in admin.delete_consumer_groups(own).values():
                # A group whose member died is not empty before the session timeout.
                _settle(deleted.result, *((KafkaError.NON_EMPTY_GROUP,) if time.monotonic() < give_up else ()))
            time.sleep(0.1)


def _settle(result: Callable[[float], object], *also: int) -> None:
    """Wait for an answer; what is gone already, or fails with one of the codes `also`, is no failure."""
    try:
        result(SECONDS)
    except KafkaException as failure:
        if failure.args[0].code() not in (*GONE, *also):
            raise
