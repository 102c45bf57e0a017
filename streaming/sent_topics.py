"""Which topics others than the platform write: what these users of Kafka are granted, and nothing else.

Data flow: contracts, Settings -> topics by user, as JSON -> infra/kafka/sent_topics.py
Run: python -m streaming.sent_topics
"""

import json

from infra.failures import reported
from infra.kafka_users import User
from infra.settings import Settings, settings
from streaming.own_writers import own_writer


def sent_topics(s: Settings) -> dict[User, list[str]]:
    """The topics of each user that sends events."""
    # Imported here, so that a project that does not load is one sentence.
    from streaming.contracts import CONTRACTS
    from streaming.webhooks import topics

    free = [topic for topic, one in CONTRACTS.items() if not one.captured and not own_writer(s, topic, User.SENDER)]
    return {User.SENDER: free, User.WEBHOOKS: topics.writable(s)}


if __name__ == "__main__":
    with reported():
        print(json.dumps(sent_topics(settings())))
