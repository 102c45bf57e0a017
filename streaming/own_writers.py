"""Topics that only the platform writes: nobody sends to them, by a command or by HTTP.

Data flow: topic, Settings -> why not, and how to read it
Run: daybreak send corrections events.jsonl
"""

from infra.settings import Settings
from infra.shop.orders.order import ANSWERS
from infra.shop.orders.snapshot import TOPIC as STATE


def own_writer(s: Settings, topic: str) -> str | None:
    """Why nobody but the platform writes this topic, as a sentence; None for any other topic."""
    if topic in (s.corrections_topic, s.corrections_state_topic):
        return f"only the night writes the topic {topic!r}: read it with `daybreak corrections`"
    if topic in (s.alerts_topic, s.alerts_state_topic):
        return f"only the stream writes the topic {topic!r}: read it with `daybreak alerts`"
    if topic in (s.notify_state_topic, s.dead_letters_topic):
        return f"only deliveries write the topic {topic!r}: read it with `daybreak notify list` and `dead-letters`"
    if topic in (ANSWERS, STATE):
        return f"only the order service writes the topic {topic!r}: ask it with `daybreak order`"
    return None
