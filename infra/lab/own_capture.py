"""A connector of a lab's own tables into one topic: made for one run, and gone at its end with its slot and publication.

Data flow: tables of the shop's database -> Kafka Connect -> topic of the lab
Run: daybreak lab polling
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from psycopg import sql

from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.db.connection import connected
from infra.shop.db.connector import source
from infra.shop.db.rest import asked, done, state
from infra.shop.users import CAPTURE

SECONDS = 60


def slot(table: str) -> str:
    """The slot of the lab whose first table this is; its publication is called alike."""
    return f"daybreak_{table}"


@contextmanager
def captured(s: Settings, tables: Sequence[str], topic: str) -> Iterator[None]:
    """Capture the changes of tables from now on. Raises TransientFailure if the connector does not start in time."""
    own = slot(tables[0])
    name = own.replace("_", "-")
    _remove(s, name, own)
    with connected(s) as database:
        names = sql.SQL(", ").join(map(sql.Identifier, tables))
        database.execute(sql.SQL("CREATE PUBLICATION {} FOR TABLE {}").format(sql.Identifier(own), names))
    config = source(s) | {
        "slot.name": own,
        "publication.name": own,
        "topic.prefix": own,
        "table.include.list": ",".join(f"public.{table}" for table in tables),
        "snapshot.mode": "no_data",
        "transforms": "one",
        "transforms.one.type": "org.apache.kafka.connect.transforms.RegexRouter",
        "transforms.one.regex": ".*",
        "transforms.one.replacement": topic,
    }
    try:
        done(asked(s, "PUT", "/config", config, name))
        give_up = time.monotonic() + SECONDS
        while state(s, name) != "RUNNING" or not _is_read(s, own):
            if time.monotonic() > give_up:
                raise TransientFailure(f"the lab's connector does not run within {SECONDS} s: daybreak logs connect")
            time.sleep(0.2)
        yield
    finally:
        _remove(s, name, own)


def _is_read(s: Settings, own: str) -> bool:
    with connected(s) as database:
        found = database.execute("SELECT active FROM pg_replication_slots WHERE slot_name = %s", [own]).fetchone()
    return bool(found and found[0])


def _remove(s: Settings, name: str, own: str) -> None:
    """The connector with its offsets, its slot and its publication, as far as they are there."""
    give_up = time.monotonic() + SECONDS
    if state(s, name) != "ABSENT":
        asked(s, "PUT", "/stop", name=name)
        while asked(s, "DELETE", "/offsets", name=name).is_error and time.monotonic() < give_up:
            time.sleep(0.5)
        asked(s, "DELETE", name=name)
    with connected(s, CAPTURE) as database:
        asking = "SELECT active FROM pg_replication_slots WHERE slot_name = %s"
        while found := database.execute(asking, [own]).fetchone():
            if not found[0]:
                database.execute("SELECT pg_drop_replication_slot(%s)", [own])
            elif time.monotonic() > give_up:
                raise TransientFailure(f"the slot {own} of the lab is still in use: daybreak logs connect")
            time.sleep(0.2)
    with connected(s) as database:
        database.execute(sql.SQL("DROP PUBLICATION IF EXISTS {}").format(sql.Identifier(own)))
