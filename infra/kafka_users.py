"""Who there is in the embedded Kafka: a user for people, one for the brokers, and one for each kind of program.

Data flow: DAYBREAK_KAFKA_<USER>_PASSWORD -> Settings
Run: daybreak connect kafka

What each of them may do is in infra/kafka/rights.py.
"""

from enum import StrEnum

from pydantic import SecretStr, field_validator
from pydantic_settings import BaseSettings

from infra.generated import password, plain


class User(StrEnum):
    """A user of the embedded Kafka."""

    OWNER = "owner"
    BROKER = "broker"
    STREAM = "stream"
    NIGHT = "night"
    SENDER = "shop"
    """Whoever sends events; its name is older than projects."""
    CONNECT = "connect"
    ORDERS = "orders"
    FOLLOWER = "follower"
    WEBHOOKS = "webhooks"
    NOTIFY = "notify"
    READER = "reader"

    @property
    def setting(self) -> str:
        """The setting with the password."""
        return f"kafka_{self}_password"


class KafkaUsers(BaseSettings):
    """A password each."""

    kafka_owner_password: SecretStr = password("Kafka's user `owner`: the command line, which may do everything")
    kafka_broker_password: SecretStr = password("`broker`: the brokers and controllers among themselves")
    kafka_stream_password: SecretStr = password("`stream`")
    kafka_night_password: SecretStr = password("`night`: the nightly steps")
    kafka_shop_password: SecretStr = password("`shop`: `daybreak shop` and `daybreak send`")
    kafka_connect_password: SecretStr = password("`connect`: Kafka Connect with Debezium")
    kafka_orders_password: SecretStr = password("`orders`: the order service")
    kafka_follower_password: SecretStr = password("`follower`: the followers")
    kafka_webhooks_password: SecretStr = password("`webhooks`: events that come by HTTP")
    kafka_notify_password: SecretStr = password("`notify`: what goes out by HTTP and mail")
    kafka_reader_password: SecretStr = password("`reader`: people and tools that read topics")

    _plain = field_validator(*(user.setting for user in User))(plain)
