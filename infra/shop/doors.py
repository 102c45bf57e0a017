"""Who of the shop logs in to Kafka and to Postgres, in words: what each is for, and what a test tries as every user.

Data flow: words -> infra/shop/parts.py
Run: daybreak connect kafka; daybreak connect postgres

What each is granted is in infra/shop/kafka_rights.py and infra/shop/db/rights.py, apart: a grant that gives too much is found by
a try.
"""

from infra.parts import AtKafka, AtPostgres, PostgresRole

DATABASE = "shop"
READERS = 20
"""Sessions of people, of the server's 100: more would leave none for the leases."""
KAFKA = AtKafka(
    users={
        "shop": "writes events: for `daybreak shop` and `daybreak send`, and for your producers",
        "connect": "writes the changes of the shop's database: for Kafka Connect",
        "orders": "reads commands, and writes answers and events: for the order service",
        "follower": "reads what followers follow: for them",
    },
    sender="shop",
    grants="infra.shop.kafka_rights:grants",
    tries={
        "write answers to commands": ("orders",),
        "write changes of the shop's database": ("connect",),
        "write Kafka Connect's configuration": ("connect",),
    },
)
POSTGRES = AtPostgres(
    database=DATABASE,
    owner="shop",
    roles={
        "shop": PostgresRole("reads and writes the shop's tables: for the shop and its followers"),
        "capture": PostgresRole("reads the shop's tables, and their log of changes: for Debezium", replicates=True),
        "reader": PostgresRole(
            "reads the shop's tables (option shop-db), and does nothing else: for people and tools", sessions=READERS
        ),
    },
    grants="infra.shop.db.rights:grant",
    tries={
        "enter the shop's database": ("shop", "capture", "reader"),
        "read the shop's tables": ("shop", "capture", "reader"),
        "write the shop's tables": ("shop",),
        "make or remove tables of the shop": ("shop",),
        "say when a past transaction was committed": ("shop",),
        "write the connector's heartbeat": ("shop", "capture"),
        "say which tables are captured": ("shop",),
        "make and drop a slot, and read the log of changes": ("capture",),
    },
)
