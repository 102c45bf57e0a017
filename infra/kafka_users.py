"""Who there is in the embedded Kafka: a user for people, one for the brokers, and one for each kind of program.

Data flow: DAYBREAK_KAFKA_<USER>_PASSWORD -> Settings
Run: daybreak connect kafka

What each of them may do is in infra/kafka/rights.py. Projects that come along declare theirs (infra/parts.py).
"""

from enum import StrEnum

from pydantic import SecretStr, field_validator
from pydantic_settings import BaseSettings

from infra.generated import password, plain
from infra.registry import at_kafka, members

OF_PROJECTS = tuple(name for one in at_kafka() for name in one.users)
SENDS = next(one.sender for one in at_kafka() if one.sender)


class User(StrEnum):
    """A user of the embedded Kafka."""

    OWNER = "owner"
    BROKER = "broker"
    STREAM = "stream"
    NIGHT = "night"
    locals().update(members(OF_PROJECTS))
    SENDER = SENDS
    """Whoever sends events, of any project; one of those above, since its name is older than projects."""
    WEBHOOKS = "webhooks"
    NOTIFY = "notify"
    READER = "reader"

    @property
    def setting(self) -> str:
        """The setting with the password."""
        return f"kafka_{self}_password"


class KafkaUsers(BaseSettings):
    """A password each; projects have theirs."""

    kafka_owner_password: SecretStr = password("Kafka's user `owner`: the command line, which may do everything")
    kafka_broker_password: SecretStr = password("`broker`: the brokers and controllers among themselves")
    kafka_stream_password: SecretStr = password("`stream`")
    kafka_night_password: SecretStr = password("`night`: the nightly steps")
    kafka_webhooks_password: SecretStr = password("`webhooks`: events that come by HTTP")
    kafka_notify_password: SecretStr = password("`notify`: what goes out by HTTP and mail")
    kafka_reader_password: SecretStr = password("`reader`: people and tools that read topics")

    _plain = field_validator(*(user.setting for user in User if user not in OF_PROJECTS))(plain)
