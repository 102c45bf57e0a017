"""Which topics a webhook may write: those of contracts that others write, never what the platform writes itself.

Data flow: topic, Settings, contracts -> its Contract, or Refused
Run: pytest tests/streaming/webhooks/test_topics.py
"""

from infra.kafka_users import User
from infra.settings import Settings
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.own_writers import own_writer
from streaming.webhooks.refused import Refused, Why


def not_writable(s: Settings, topic: str) -> Refused | None:
    """Why a webhook may not write this topic, whoever sends it."""
    if said := own_writer(s, topic, User.WEBHOOKS):
        return Refused(Why.NOT_WRITABLE, said)
    contract = CONTRACTS.get(topic)
    if contract is None:
        return Refused(Why.UNKNOWN_TOPIC, f"{topic!r} is no topic of the platform; there is {', '.join(writable(s))}")
    if contract.captured:
        return Refused(Why.NOT_WRITABLE, f"only change capture writes the topic {topic!r}: change its table instead")
    if contract.encoding != "json":
        return Refused(
            Why.NOT_WRITABLE,
            f"the topic {topic!r} takes {contract.encoding}, and a webhook JSON: send it to Kafka itself",
        )
    return None


def writable(s: Settings) -> list[str]:
    """The topics that a webhook may write."""
    return [topic for topic in CONTRACTS if not_writable(s, topic) is None]


def of(s: Settings, topic: str, allowed: tuple[str, ...], sender: str) -> Contract:
    """The topic's contract. Raises Refused where this sender may not write it."""
    if refused := not_writable(s, topic):
        raise refused
    if topic not in allowed:
        raise Refused(
            Why.NOT_YOURS,
            f"{sender} may write {', '.join(allowed)}, not {topic!r}; to allow it: "
            f"daybreak webhooks change {sender} --topic {topic}",
        )
    return CONTRACTS[topic]
