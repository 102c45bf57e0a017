"""The shop's users of Kafka and roles of Postgres, which infra/shop/doors.py declares.

Data flow: names -> members of the platform's users and roles
Run: daybreak connect kafka
"""

from infra.kafka_users import User
from infra.postgres_roles import Role

CONNECT, ORDERS, FOLLOWER = User("connect"), User("orders"), User("follower")
SHOP, CAPTURE, READER = Role("shop"), Role("capture"), Role("reader")
