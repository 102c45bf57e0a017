"""The snapshot of the order service: the newest value of each thing it knows, in a compacted topic.

Data flow: what has changed in State -> topic `order-state`; that topic, to its end -> State, and where the log goes on behind it
Run: daybreak order check
Source: Kafka Streams keeps the state of a task in a changelog topic in the same way.

It is written every few seconds in a transaction of its own, so a decision costs no write of a whole order. What was decided since
is in the log behind it.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from infra.kafka.read_committed import committed, partitions
from infra.shop.orders.answered import Place
from infra.shop.orders.order import Order
from infra.shop.orders.state import State

TOPIC = "order-state"
ORDER, STOCK, ANSWERED, POSITION, INSTANCE = "order", "stock", "answered", "position", "instance"
"""Kinds of keys; the name follows behind a blank."""
Offsets = dict[str, dict[int, int]]
"""Topic -> partition -> the next offset."""


@dataclass
class Position:
    """Up to where the snapshot knows: commands that were answered, and what was written for them."""

    commands: dict[int, int] = field(default_factory=dict)
    log: Offsets = field(default_factory=dict)
    number: int = 0
    newest_ms: int = 0

    def written(self) -> bytes:
        """As JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def read(cls, text: bytes) -> "Position":
        """From `written`; JSON has partitions as text."""
        found = json.loads(text)
        log = {topic: {int(number): offset for number, offset in one.items()} for topic, one in found["log"].items()}
        commands = {int(number): offset for number, offset in found["commands"].items()}
        return cls(commands, log, found["number"], found["newest_ms"])


def changed(state: State) -> Iterator[tuple[bytes, bytes | None]]:
    """Key and value of everything that differs from the snapshot; None for what is no longer known."""
    for order_id in state.changed_orders:
        yield f"{ORDER} {order_id}".encode(), state.orders.get(order_id)
    for product in state.changed_stock:
        yield f"{STOCK} {product}".encode(), str(state.stock[product]).encode()
    for place in state.answered.changed:
        yield f"{ANSWERED} {place[0]} {place[1]}".encode(), state.answered.part(place)


def saved(state: State) -> None:
    """The snapshot has been committed: nothing differs from it."""
    state.changed_orders.clear()
    state.changed_stock.clear()
    state.answered.changed.clear()


def read() -> tuple[State, Position]:
    """The state of the snapshot; a new one if there is none. Raises TransientFailure if Kafka does not answer."""
    state, position = State(), Position()
    newest: dict[str, bytes | None] = {}
    for message in committed(TOPIC) if partitions(TOPIC) else ():
        newest[_text(message.key())] = message.value()
    for key, value in newest.items():
        kind, *name = key.split(" ")
        if value is None:
            continue
        if kind == ORDER:
            state.keep(name[0], value, Order.read(value).last_ms)
        elif kind == STOCK:
            state.stock[name[0]] = int(value)
        elif kind == ANSWERED:
            place: Place = int(name[0]), int(name[1])
            state.answered.restore(place, value)
        elif kind == POSITION:
            position = Position.read(value)
    state.number, state.newest_ms = position.number, position.newest_ms
    return state, position


def instance() -> str | None:
    """The instance that started last, as it wrote itself."""
    found = None
    for message in committed(TOPIC):
        if _text(message.key()) == INSTANCE:
            found = _text(message.value())
    return found


def _text(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else ""
