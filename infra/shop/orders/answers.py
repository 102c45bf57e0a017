"""What the order service writes for one record of `commands`: its answer, and the event of an accepted one.

Data flow: a record, State -> records for `answers`, `orders` and `payments`, all in one transaction
Run: daybreak order check

Ids follow from the command's, so whoever decides it again writes the same bytes. The header NUMBER counts answers, and one writer
gives the numbers: sorted by them, events are in the order in which they were decided, whatever topic and partition they are in.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from confluent_kafka import Message

from infra.shop.orders.commands import Malformed, Receive, read
from infra.shop.orders.decide import Rejected, decide
from infra.shop.orders.order import ANSWERS, RECEIVED, Fact
from infra.shop.orders.state import State

NUMBER = "daybreak-order-service"
"""The header by which the service knows its own events among others of the same topics."""
ANSWER, EVENT = "answer", "event"
"""The two records that a command may give: its answer, and the event if it was accepted."""
ENVELOPE = ("event_id", "event_type", "event_time", "schema_version")
MOST_LETTERS = 200
ACCEPTED, REJECTED = "command_accepted", "command_rejected"


@dataclass(frozen=True)
class Record:
    """A record to be written."""

    topic: str
    key: bytes
    value: bytes
    number: int

    @property
    def headers(self) -> list[tuple[str, str | bytes | None]]:
        """With the number of the answer."""
        return [(NUMBER, str(self.number))]


def answer(state: State, message: Message) -> tuple[list[Record], str | None]:
    """What to write for a record, and the reason of a rejection. Nothing at all if its command has been answered.

    The state is then the one after it. No record makes it throw.
    """
    arrival_ms, command_id = message.timestamp()[1], id_of(message)
    if command_id in state.answered:
        return [], None
    about: dict[str, Any] = {}
    try:
        command = read(_bytes(message.key()), _bytes(message.value()))
        about = {"command": command.event_type, "customer_id": command.customer_id}
        about |= {"order_id": command.order_id} if not isinstance(command, Receive) else {}
        fact = decide(state, command, arrival_ms)
    except Malformed as wrong:
        about = {"reason": wrong.reason, "why": str(wrong)[:MOST_LETTERS]}
    except Rejected as no:
        about |= {"reason": no.reason.value}
    else:
        state.apply(fact)
        state.newest_ms = max(state.newest_ms, fact.time_ms)
        goods = dict(fact.payload) if fact.topic == ANSWERS else {}
        said = _said(state, command_id, arrival_ms, ACCEPTED, about | goods, fact.time_ms)
        return [*said, *_event(fact, command_id, state.number)], None
    return _said(state, command_id, arrival_ms, REJECTED, about), about["reason"]


def id_of(message: Message) -> str:
    """The command's id; one made of its place in the log if the record has no readable one, by which its client could know it."""
    try:
        found = json.loads(_bytes(message.value()) or b"")["event_id"]
        if isinstance(found, str):
            return str(UUID(found))
    except (ValueError, TypeError, KeyError, RecursionError):
        pass
    return str(uuid5(NAMESPACE_URL, f"{message.topic()}-{message.partition()}@{message.offset()}"))


def _said(
    state: State, command_id: str, arrival_ms: int, kind: str, more: Mapping[str, Any], time_ms: int | None = None
) -> list[Record]:
    """The answer. A rejected command's time is nobody's to trust: it has the newest of those that were accepted."""
    state.number += 1
    state.answered.add(command_id, arrival_ms)
    happened = time_ms or state.newest_ms or arrival_ms
    payload = {"command_id": command_id, "number": state.number, **more}
    return [Record(ANSWERS, command_id.encode(), _envelope(command_id, ANSWER, kind, happened, payload), state.number)]


def _event(fact: Fact, command_id: str, number: int) -> Iterator[Record]:
    if fact.topic != ANSWERS:
        assert fact.order_id
        version = 2 if "channel" in fact.payload else 1
        value = _envelope(command_id, EVENT, fact.kind, fact.time_ms, fact.payload, version)
        yield Record(fact.topic, fact.order_id.encode(), value, number)


def _envelope(
    command_id: str, role: str, kind: str, time_ms: int, payload: Mapping[str, Any], version: int = 1
) -> bytes:
    head = {
        "event_id": _identity(command_id, role),
        "event_type": kind,
        "event_time": time_ms,
        "schema_version": version,
    }
    return json.dumps(head | dict(payload), separators=(",", ":"), ensure_ascii=False).encode(errors="replace")


def fact_of(fields: Mapping[str, Any]) -> Fact | None:
    """The fact in a record that the service wrote; None for an answer that is no fact."""
    kind, time_ms = fields["event_type"], fields["event_time"]
    if kind == ACCEPTED and "items" in fields:
        return Fact(RECEIVED, {"items": fields["items"]}, time_ms, None)
    payload = {name: value for name, value in fields.items() if name not in ENVELOPE}
    return None if kind in (ACCEPTED, REJECTED) else Fact(kind, payload, time_ms, payload["order_id"])


def is_own(fields: Mapping[str, Any], command_id: str, role: str) -> bool:
    """Has the record the id that follows from the command's? One of another producer, with a header like ours, has not."""
    return bool(fields.get("event_id") == _identity(command_id, role))


def _identity(command_id: str, role: str) -> str:
    return str(uuid5(UUID(command_id), role))


def _bytes(value: object) -> bytes | None:
    return value if isinstance(value, bytes) else None
