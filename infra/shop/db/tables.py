"""The tables of the shop's database, and what change capture needs beside them.

Data flow: SQL -> database `shop`: customers, products, stock, orders; publication
Run: daybreak up --with shop-db
Source: Debezium, "PostgreSQL connector": replica identity, publications, heartbeats.

`changed_at` is when the shop changed the row, which in a replay of past days is not when the transaction was committed. A replica
identity of FULL puts the whole row before a change into the log, long texts too, which Postgres otherwise leaves out.
"""

from collections.abc import Sequence
from datetime import datetime

from psycopg import sql

from infra.failures import PermanentFailure
from infra.postgres_login import has
from infra.settings import Settings
from infra.shop.db.connection import Connection, connected
from infra.shop.users import CAPTURE

KEYS = {
    "customers": ("customer_id",),
    "products": ("product_id",),
    "stock": ("product_id", "warehouse"),
    "orders": ("order_id",),
    "marks": ("id",),
}
"""The captured tables with their primary keys."""
ORDERS = "orders"
COMPARED = ("customers", "products", "stock", ORDERS)
"""Those that hold what the shop knows; `marks` has the marks of comparisons."""
ADDED = (ORDERS,)
"""Those that a database lacks which an older version made. `marks` says when each was made: one that was made and is not there
was renamed or dropped."""
HEARTBEAT = "heartbeat"
"""The connector's own table, with one row: published, so that the slot moves on, and not captured."""
PUBLICATION = SLOT = "daybreak_shop"

_TABLES = """
CREATE TABLE IF NOT EXISTS customers (
    customer_id text PRIMARY KEY, name text NOT NULL, region text NOT NULL, note text, changed_at timestamptz(3) NOT NULL);
CREATE TABLE IF NOT EXISTS products (
    product_id text PRIMARY KEY, title text NOT NULL, brand text NOT NULL, price_cents bigint NOT NULL,
    weight_kg numeric(8, 3), description text, changed_at timestamptz(3) NOT NULL);
CREATE TABLE IF NOT EXISTS stock (
    product_id text, warehouse text, on_hand bigint NOT NULL, changed_at timestamptz(3) NOT NULL,
    PRIMARY KEY (product_id, warehouse));
CREATE TABLE IF NOT EXISTS orders (
    order_id text PRIMARY KEY, customer_id text, status text NOT NULL, lines bigint, total_cents bigint,
    paid_cents bigint NOT NULL DEFAULT 0, failed_payments bigint NOT NULL DEFAULT 0, reason text,
    changed_at timestamptz(3) NOT NULL);
CREATE TABLE IF NOT EXISTS marks (id text PRIMARY KEY, at timestamptz(3) NOT NULL);
CREATE TABLE IF NOT EXISTS heartbeat (id int PRIMARY KEY, at timestamptz(3) NOT NULL);
"""
_FULL = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relreplident = 'f'"
_PUBLISHED = "SELECT schemaname, tablename FROM pg_publication_tables WHERE pubname = %s"


def create(s: Settings) -> None:
    """Make what is missing: the tables, the publication.

    A table of ADDED that was never made is made, empty, and captured from then on. Raises PermanentFailure if some tables are
    there and others are not: then they were renamed or dropped.
    """
    with connected(s) as own:
        there = {row[0] for row in own.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")}
        absent = [table for table in KEYS if table not in there]
        known = {table for table in ADDED if "marks" in there and made(own, table)}
        if there.intersection(KEYS) and (gone := [table for table in absent if table not in ADDED or table in known]):
            # A new empty one in its place would tell everybody that its rows were never there.
            raise PermanentFailure(_gone(gone))
        if not there.issuperset({*KEYS, HEARTBEAT}) or not known.issuperset(ADDED):
            with own.transaction():
                own.execute(_TABLES)
                for table in ADDED:
                    own.execute("INSERT INTO marks (id, at) VALUES (%s, now()) ON CONFLICT DO NOTHING", [_made(table)])
        _capture(own)
        if s.embedded("shop_dsn") and has(s, CAPTURE):
            _let_beat(own)


def _let_beat(own: Connection) -> None:
    may = own.execute("SELECT has_table_privilege(%s, %s, 'UPDATE')", [CAPTURE, HEARTBEAT]).fetchone()
    if may != (True,):
        beats = sql.SQL("GRANT INSERT, UPDATE ON {} TO {}")
        own.execute(beats.format(sql.Identifier(HEARTBEAT), sql.Identifier(CAPTURE)))


def _capture(own: Connection) -> None:
    """Set what the capture needs of the tables, where it is not set: a statement that changes nothing waits like one that does,
    and while it waits for an open transaction, everybody else waits behind it."""
    full = {row[0] for row in own.execute(_FULL)}
    for table in KEYS:
        if table not in full:
            own.execute(sql.SQL("ALTER TABLE {} REPLICA IDENTITY FULL").format(sql.Identifier(table)))
    exists = own.execute("SELECT 1 FROM pg_publication WHERE pubname = %s", [PUBLICATION]).fetchone()
    published = {(row[0], row[1]) for row in own.execute(_PUBLISHED, [PUBLICATION])}
    if published != {("public", table) for table in (*KEYS, HEARTBEAT)}:
        names = sql.SQL(", ").join(map(sql.Identifier, (*KEYS, HEARTBEAT)))
        verb = "ALTER PUBLICATION {} SET TABLE {}" if exists else "CREATE PUBLICATION {} FOR TABLE {}"
        own.execute(sql.SQL(verb).format(sql.Identifier(PUBLICATION), names))


def made(own: Connection, table: str) -> datetime | None:
    """When a table of ADDED was made; None if it never was."""
    found = own.execute("SELECT at FROM marks WHERE id = %s", [_made(table)]).fetchone()
    return found[0] if found else None


def _made(table: str) -> str:
    return f"the table {table} was made"


def missing(s: Settings) -> str | None:
    """Of captured tables that are no longer there by their names: what is wrong and what to do; None if all are there."""
    with connected(s) as own:
        found = own.execute("SELECT tablename FROM pg_publication_tables WHERE pubname = %s", [PUBLICATION])
        there = {row[0] for row in found}
    gone = [table for table in KEYS if table not in there]
    return _gone(gone) if gone else None


def not_full(s: Settings) -> list[str]:
    """The captured tables whose replica identity is not FULL: a restored dump or a migration may have set another one."""
    with connected(s) as own:
        asked = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relreplident <> 'f'"
        other = {row[0] for row in own.execute(asked)}
    return [table for table in COMPARED if table in other]


def lacks_texts(table: str) -> str:
    """What a replica identity that is not FULL does, as a sentence without its end."""
    return (
        f"the replica identity of public.{table} is not FULL: a change of it lacks the long texts that it does not touch, and is "
        "rejected (unavailable_value)"
    )


def _gone(tables: Sequence[str]) -> str:
    names = ", ".join(f"public.{table}" for table in tables)
    return (
        f"the shop's database has no {names} (renamed or dropped?), so its changes are captured no longer: rename it back, or "
        "change infra/shop/db and the contract to its new name"
    )
