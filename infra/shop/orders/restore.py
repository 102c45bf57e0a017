"""The state of the order service from the log: behind a snapshot, or all of it.

Data flow: topics `orders`, `payments`, `answers` from offsets on, committed records only -> facts by their number -> State
Run: daybreak order check
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, Message, TopicPartition

from infra.failures import PermanentFailure
from infra.kafka import client
from infra.kafka.read_committed import READING, partitions
from infra.shop.orders.answers import ANSWER, EVENT, NUMBER, fact_of, is_own
from infra.shop.orders.order import ANSWERS, ORDERS, PAYMENTS, PLACED
from infra.shop.orders.snapshot import Offsets
from infra.shop.orders.state import State

MOST_DIGITS = 19
LOG = (ORDERS, PAYMENTS, ANSWERS)


class Written(NamedTuple):
    """A record that has the service's header: the number in it, whether it is an answer, its arrival (epoch ms), its fields."""

    number: int
    is_answer: bool
    arrival_ms: int
    fields: Mapping[str, Any]


def behind(state: State, log: Offsets) -> None:
    """Bring a snapshot's state to the end of the log.

    Memory: what was written since the snapshot, which is a few seconds' worth. Raises PermanentFailure if the log is gone there.
    """
    # One transaction has both, so an event's answer is here too.
    found = sorted(_records(log), key=lambda one: (one.number, not one.is_answer))
    answered: dict[int, str] = {}
    for one in found:
        command_id = one.fields.get("command_id") if one.is_answer else answered.get(one.number)
        if command_id is None or not is_own(one.fields, command_id, ANSWER if one.is_answer else EVENT):
            continue
        if one.is_answer:
            answered[one.number] = command_id
            state.answered.add(command_id, one.arrival_ms)
        fact = fact_of(one.fields)
        # Of an order that was placed before the log begins, which a snapshot knows and the log alone does not, nothing is taken.
        if fact and (fact.order_id is None or fact.kind == PLACED or fact.order_id in state.orders):
            state.apply(fact)
            state.newest_ms = max(state.newest_ms, fact.time_ms)
        state.number = max(state.number, one.number)


def replayed() -> State:
    """The state from the whole log, without a snapshot. Memory: the whole log."""
    state = State()
    behind(state, {})
    return state


def _records(log: Mapping[str, Mapping[int, int]]) -> Iterator[Written]:
    """What the service wrote, from the offsets on; from the beginning where none is given."""
    with client.consumer(
        "order-service", READING | {"isolation.level": "read_committed", "auto.offset.reset": "error"}
    ) as own:
        places = [
            TopicPartition(topic, number, log.get(topic, {}).get(number, OFFSET_BEGINNING))
            for topic in LOG
            for number in partitions(topic)
        ]
        own.assign(places)
        left = {(place.topic, place.partition) for place in places}
        while left:
            for message in own.consume(1000, 0.5):
                error = message.error()
                if error is None:
                    if (number := number_of(message)) is not None:
                        yield Written(number, message.topic() == ANSWERS, message.timestamp()[1], fields(message))
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard((str(message.topic()), message.partition() or 0))
                elif error.code() == KafkaError._AUTO_OFFSET_RESET:
                    raise PermanentFailure(
                        f"the log of {message.topic()} has been deleted behind the snapshot of the order service, so what it "
                        "decided last is lost: daybreak order start-anew starts from what the log still has"
                    )
                else:
                    raise KafkaException(error)


def number_of(message: Message) -> int | None:
    """The number in the header; None for a record of another producer."""
    found: Any = dict(message.headers() or ()).get(NUMBER)
    # Anyone may write a header.
    return int(found) if isinstance(found, bytes) and found.isdigit() and len(found) < MOST_DIGITS else None


def fields(message: Message) -> Mapping[str, Any]:
    """A value's JSON object; an empty one if it is none."""
    try:
        found = json.loads(message.value() or b"")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
