"""What the shop's users of Kafka are granted.

Data flow: Settings -> grants -> infra/kafka/rights.py
Run: daybreak up --only kafka
"""

from collections.abc import Mapping

from infra.kafka.rights import DESCRIBE, KEPT, LOOKS, READ, WRITE, Grant, group, topics, transactions
from infra.kafka_users import User
from infra.settings import Settings
from infra.shop.db.connector import PREFIX as CAPTURED
from infra.shop.orders.commands import TOPIC as COMMANDS
from infra.shop.orders.order import ANSWERS, ORDERS, PAYMENTS
from infra.shop.orders.service import GROUP as ORDER_GROUP
from infra.shop.orders.snapshot import TOPIC as ORDER_STATE
from infra.shop.users import CONNECT as CONNECTOR
from infra.shop.users import FOLLOWER
from infra.shop.users import ORDERS as ORDER_SERVICE

CONNECT = "daybreak-connect"
"""Group of Kafka Connect's workers, and the beginning of the names of its topics and transactions."""


def grants(s: Settings) -> Mapping[User, tuple[Grant, ...]]:
    """What each may do. Whoever sends events is granted the topics of the project in force, by the platform."""
    return {
        CONNECTOR: (
            *topics(KEPT, CONNECT, f"{CAPTURED}.", f"__debezium-heartbeat.{CAPTURED}", prefix=True),
            # What a lab captures into a topic of its own.
            *topics((WRITE, DESCRIBE), "lab-", prefix=True),
            *(transactions(CONNECT), transactions(f"connect-cluster-{CONNECT}")),
            group(CONNECT),
        ),
        ORDER_SERVICE: (
            *topics((READ,), COMMANDS),
            *topics((READ, WRITE), ANSWERS, ORDERS, PAYMENTS),
            *topics(KEPT, ORDER_STATE),
            transactions("daybreak-order-service-"),
            *(group(ORDER_GROUP), LOOKS),
        ),
        FOLLOWER: (
            *topics((READ,), f"{CAPTURED}.", prefix=True),
            *topics((READ,), s.corrections_topic, ORDERS, PAYMENTS),
            LOOKS,
        ),
    }
