"""Topics that have a writer of their own, the platform or a program of the project: nobody else sends to them.

Data flow: topic, Settings, the project's hooks -> why not, and how to read it
Run: daybreak send corrections events.jsonl
"""

from infra.kafka_users import User
from infra.settings import Settings
from streaming.hooks import writers


def own_writer(s: Settings, topic: str, user: User) -> str | None:
    """Why this user of Kafka, who sends events, does not write this topic, as a sentence; None for any other topic."""
    if topic in (s.corrections_topic, s.corrections_state_topic):
        return f"only the night writes the topic {topic!r}: read it with `daybreak corrections`"
    if topic in (s.alerts_topic, s.alerts_state_topic):
        return f"only the stream writes the topic {topic!r}: read it with `daybreak alerts`"
    if topic in (s.notify_state_topic, s.dead_letters_topic):
        return f"only deliveries write the topic {topic!r}: read it with `daybreak notify list` and `dead-letters`"
    own = writers(s).get(topic)
    return own.why if own and user not in own.beside else None
