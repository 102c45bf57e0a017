"""What the stream would say of an event: asked of a reader that holds it to the same rules.

Data flow: topic, key, value, time of arrival -> is it valid?
Run: pytest tests/streaming/test_webhooks_check.py

The rules of a contract are Spark expressions, and there is no Spark here. Two topics have a second reader anyway: the shop's
database follows orders and payments. A test holds it to the stream, record by record. It says yes or no; the reasons are the
stream's.
"""

from infra.shop.followers.follower import Record
from infra.shop.followers.order_events import read
from infra.shop.orders.order import ORDERS, PAYMENTS
from streaming.webhooks.refused import Refused, Why

CHECKED = (ORDERS, PAYMENTS)
"""The topics that have such a reader."""


def is_valid(topic: str, key: bytes | None, value: bytes | None, now_ms: int) -> bool:
    """Would the stream take it, if it came at `now_ms`? Whether it has the event already is not looked for.

    Raises Refused for a topic of which only the stream can say.
    """
    if topic not in CHECKED:
        raise Refused(
            Why.NOT_CHECKED_HERE,
            f"{' and '.join(CHECKED)} can be checked at once; of {topic!r} only the stream can say: send it without ?check=1, "
            "and look for its event_id in silver.quarantine",
        )
    return read(Record(topic, value, key, now_ms, 0)) is not None
