"""Is every command answered once, and is the state what its events give?

Data flow: topics `commands` and `answers`, to their ends now -> commands without an answer or with two;
snapshot and the log behind it, and the whole log -> the first thing in which they differ
Run: daybreak order check
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from infra.kafka import client
from infra.kafka.ends import bounds
from infra.kafka.read_committed import committed, partitions
from infra.shop.orders import snapshot
from infra.shop.orders.answers import ACCEPTED, REJECTED, id_of
from infra.shop.orders.commands import TOPIC
from infra.shop.orders.order import ANSWERS
from infra.shop.orders.restore import LOG, behind, fields, number_of, replayed
from infra.shop.orders.state import State


@dataclass(frozen=True)
class Checked:
    """What was found: numbers of things, `known` orders, and the first that is wrong, if any.

    `reasons`: how many commands were rejected for each.
    """

    commands: int
    accepted: int
    rejected: int
    reasons: Mapping[str, int]
    unanswered: int
    answered_twice: int
    known: int
    differing: int
    first: str | None

    @property
    def is_right(self) -> bool:
        """Nothing is answered twice or never, and both states are one."""
        return not (self.unanswered or self.answered_twice or self.differing)


def check() -> Checked:
    """Read it all. What was sent while it reads may not be answered yet. Memory: ids of the log. Raises TransientFailure."""
    asked = {id_of(message) for message in committed(TOPIC)}
    answers: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for message in committed(ANSWERS):
        if number_of(message) is not None:
            said = fields(message)
            answers[str(said.get("command_id"))] += 1
            kinds[str(said.get("event_type"))] += 1
            reasons[str(said.get("reason"))] += "reason" in said
    state, position = snapshot.read()
    behind(state, position.log)
    whole = replayed()
    differing = sorted(_differing(state, whole))
    return Checked(
        len(asked),
        kinds[ACCEPTED],
        kinds[REJECTED],
        dict(sorted((+reasons).items())),
        len(asked - answers.keys()),
        sum(times > 1 for times in answers.values()),
        len(state.orders),
        len(differing),
        differing[0] if differing else None,
    )


def _differing(state: State, whole: State) -> Iterator[str]:
    """What snapshot and log say, and the whole log says otherwise; what the log no longer has is passed over."""
    for order_id, text in whole.orders.items():
        if state.orders.get(order_id) != text:
            yield f"order {order_id}"
    if not _begins():
        return
    yield from (f"order {order_id}" for order_id in state.orders.keys() - whole.orders.keys())
    for product in state.stock.keys() | whole.stock.keys():
        if state.stock.get(product) != whole.stock.get(product):
            yield f"stock of {product}: {state.stock.get(product)}, and {whole.stock.get(product)} by the whole log"
    if len(state.answered) != len(whole.answered):
        yield f"answered commands: {len(state.answered):,}, and {len(whole.answered):,} by the whole log"


def _begins() -> bool:
    """Has the log everything since its first record?"""
    with client.consumer("order-check") as own:
        return all(bounds(own, (topic, number))[0] == 0 for topic in LOG for number in partitions(topic))
