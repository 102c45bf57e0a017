"""Who there is in the embedded Kafka: a user for people, one for the brokers, and one for each kind of program.

Data flow: DAYBREAK_KAFKA_<USER>_PASSWORD -> Settings
Run: daybreak connect kafka

What each of them may do is in infra/kafka/rights.py.
"""

import re
from enum import StrEnum

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings


class User(StrEnum):
    """A user of the embedded Kafka."""

    OWNER = "owner"
    BROKER = "broker"
    STREAM = "stream"
    NIGHT = "night"
    SHOP = "shop"
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


def _of(who: str) -> SecretStr:
    made: SecretStr = Field(SecretStr(""), description=f"{who}; generated when embedded")
    return made


class KafkaUsers(BaseSettings):
    """A password each."""

    kafka_owner_password: SecretStr = _of("Password of Kafka's user `owner`: the command line, which may do everything")
    kafka_broker_password: SecretStr = _of("Password of `broker`: the brokers and controllers among themselves")
    kafka_stream_password: SecretStr = _of("Password of `stream`")
    kafka_night_password: SecretStr = _of("Password of `night`: the nightly steps")
    kafka_shop_password: SecretStr = _of("Password of `shop`: `daybreak shop` and `daybreak send`")
    kafka_connect_password: SecretStr = _of("Password of `connect`: Kafka Connect with Debezium")
    kafka_orders_password: SecretStr = _of("Password of `orders`: the order service")
    kafka_follower_password: SecretStr = _of("Password of `follower`: the followers")
    kafka_webhooks_password: SecretStr = _of("Password of `webhooks`: events that come by HTTP")
    kafka_notify_password: SecretStr = _of("Password of `notify`: what goes out by HTTP and mail")
    kafka_reader_password: SecretStr = _of("Password of `reader`: people and tools that read topics")

    @field_validator(*(user.setting for user in User))
    @classmethod
    def _plain(cls, value: SecretStr) -> SecretStr:
        # It stands in quotes in lines for Java.
        if re.search(r"[\s\"'\\]", value.get_secret_value()):
            raise ValueError("a password has no blanks, quotes or backslashes")
        return value
