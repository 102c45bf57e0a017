"""Forget what the order service has stored beside the log: then its next start restores it from the log alone.

Data flow: topic `order-state` and the group's offsets -> gone
Run: daybreak order start-anew
"""

from confluent_kafka import KafkaError, KafkaException

from infra.kafka import client
from infra.shop.orders import snapshot
from infra.shop.orders.service import GROUP

SECONDS = 20
GONE = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.GROUP_ID_NOT_FOUND)


def forget() -> None:
    """Delete both; the service must be down. Raises TransientFailure if Kafka does not."""
    admin = client.admin()
    with client.answers():
        for done in (*admin.delete_topics([snapshot.TOPIC]).values(), *admin.delete_consumer_groups([GROUP]).values()):
            try:
                done.result(timeout=SECONDS)
            except KafkaException as failure:
                if failure.args[0].code() not in GONE:
                    raise
