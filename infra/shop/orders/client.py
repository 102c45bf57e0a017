"""A client of the order service: one command, and its answer.

Data flow: a command -> topic `commands`; topic `answers` from its end on -> the answer
Run: daybreak order place --customer c-7 --item p-1:2:995
"""

import json
import time
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from confluent_kafka import Consumer, TopicPartition

from infra.failures import TransientFailure
from infra.kafka import client
from infra.kafka.ends import bounds
from infra.kafka.read_committed import partitions
from infra.kafka.send import Sender
from infra.shop.deliver import now_ms
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.order import ANSWERS

SECONDS = 30.0
OPTIONS = {"isolation.level": "read_committed", "fetch.wait.max.ms": "20"}


def ask(kind: str, customer_id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Send a command, and wait for its answer.

    Raises TransientFailure if none comes: then it is not known whether it will happen, and the same id may be sent again.
    """
    command_id = str(uuid4())
    head = {"event_id": command_id, "event_type": kind, "event_time": now_ms(), "schema_version": 1}
    value = json.dumps({**head, "customer_id": customer_id, **fields}).encode()
    with client.consumer("order-client", OPTIONS) as consumer, Sender([TOPIC]) as sender:
        consumer.assign([_end(consumer, TopicPartition(ANSWERS, number)) for number in partitions(ANSWERS)])
        sender.send(TOPIC, customer_id.encode(), value, command_id)
        sender.flush()
        give_up = time.monotonic() + SECONDS
        while time.monotonic() < give_up:
            message = consumer.poll(0.2)
            if message is not None and message.error() is None and message.key() == command_id.encode():
                return dict(json.loads(message.value() or b""))
    raise TransientFailure(
        f"no answer to command {command_id} within {SECONDS:.0f} s: it stays in the log, and is answered when the order service "
        "runs (daybreak status)"
    )


def _end(consumer: Consumer, place: TopicPartition) -> TopicPartition:
    """What is answered from now on."""
    return TopicPartition(place.topic, place.partition, bounds(consumer, (place.topic, place.partition), SECONDS)[1])
