"""Topics that only the order service writes: its answers and state always, and while it is on what orders become.

Data flow: Settings -> topics, each with its Writer -> streaming/own_writers.py
Run: daybreak send answers events.jsonl
"""

from infra.kafka_users import User
from infra.settings import Settings
from infra.shop.options import ORDER_SERVICE
from infra.shop.orders.commands import TOPIC as COMMANDS
from infra.shop.orders.order import ANSWERS, ORDERS, PAYMENTS
from infra.shop.orders.snapshot import TOPIC as STATE
from streaming.hooks import Writer


def writers(s: Settings) -> dict[str, Writer]:
    """By topic."""
    found = {topic: Writer(f"{_only(topic)}: ask it with `daybreak order`") for topic in (ANSWERS, STATE)}
    if s.has(ORDER_SERVICE):
        instead = f"send a command to {COMMANDS!r} instead"
        found[ORDERS] = Writer(f"{_only(ORDERS)}: {instead}")
        # A payment that fails is nobody's command: the shop sends it as an event, whoever writes orders.
        found[PAYMENTS] = Writer(f"{_only(PAYMENTS)}: {instead}", beside=(User.SENDER,))
    return found


def _only(topic: str) -> str:
    return f"only the order service writes the topic {topic!r}"
