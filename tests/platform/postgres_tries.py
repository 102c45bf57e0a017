"""How each try of infra/postgres_rights.py is done, as any role. What has several ways is tried in all of them.

Data flow: a try, a role -> statements, a connection of its own each -> what was done, and what was refused
Run: pytest tests/platform/doors
"""

from collections.abc import Callable
from dataclasses import dataclass

import psycopg
from psycopg import errors
from psycopg.conninfo import make_conninfo

from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.services.roles import ADMIN, AIRFLOW, LEASES
from infra.settings import Settings
from infra.shop.db.tables import PUBLICATION
from infra.shop.doors import DATABASE as SHOP

NOT_LET_IN = ("permission denied for database", "permission denied to start WAL sender", "no pg_hba.conf entry")


@dataclass(frozen=True)
class As:
    """A role at a server."""

    s: Settings
    role: Role

    def does(self, what: str) -> list[str | None]:
        """Each way of a try: None, or the refusal. Raises psycopg.Error for any other trouble."""
        return [self._refusal(way) for way in WAYS[what](self)]

    def _refusal(self, way: "Way") -> str | None:
        where = conninfo(self.s, self.role, way.database)
        try:
            # What is done is taken back.
            with psycopg.connect(make_conninfo(where, replication=way.replication), autocommit=True) as own:
                for statement in ("BEGIN", *way.statements, "ROLLBACK") if way.can_be_undone else way.statements:
                    own.execute(statement.encode())
        except errors.InsufficientPrivilege as refused:
            return str(refused)
        except psycopg.OperationalError as refused:
            if not any(one in str(refused) for one in NOT_LET_IN):
                raise
            return str(refused)
        return None


@dataclass(frozen=True)
class Way:
    """Statements in a database. `replication` as libpq names it."""

    database: str
    statements: tuple[str, ...]
    can_be_undone: bool = True
    replication: str = "false"


def _in(database: str, *ways: str) -> Callable[[As], list[Way]]:
    """Each a way of its own."""
    return lambda own: [Way(database, (way,)) for way in ways]


ORIGIN = "SELECT pg_replication_origin_{}('tried')"
LOGICAL = "CREATE_REPLICATION_SLOT tried_{0} TEMPORARY LOGICAL pgoutput"
OTHERS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename <> current_user AND application_name = 'victim'"
WAYS: dict[str, Callable[[As], list[Way]]] = {
    "hold a lease": _in(LEASES, "SELECT pg_try_advisory_lock(1)"),
    "keep anything beside the leases": _in(
        LEASES, "CREATE TABLE own (a int)", "CREATE TEMP TABLE own (a int)", "CREATE SCHEMA own"
    ),
    "make and write Airflow's tables": _in(
        AIRFLOW, "CREATE TABLE own (a int)", "INSERT INTO dag VALUES (1)", "DROP VIEW dags"
    ),
    "enter the shop's database": _in(SHOP, "SELECT 1"),
    "read the shop's tables": _in(SHOP, "SELECT * FROM customers", "SELECT * FROM later"),
    "write the shop's tables": _in(
        SHOP,
        "INSERT INTO customers VALUES ('c-1', 'n', 'r', NULL, now())",
        "UPDATE stock SET on_hand = 0",
        "DELETE FROM products",
        "TRUNCATE orders",
    ),
    "make or remove tables of the shop": _in(
        SHOP, "CREATE TABLE own (a int)", "DROP TABLE stock", "ALTER TABLE stock ADD COLUMN a int"
    ),
    "say when a past transaction was committed": _in(SHOP, ORIGIN.format("oid"), ORIGIN.format("create")),
    "write the connector's heartbeat": _in(
        SHOP, "INSERT INTO heartbeat VALUES (1, now()) ON CONFLICT (id) DO UPDATE SET at = excluded.at"
    ),
    "say which tables are captured": _in(
        SHOP, f"ALTER PUBLICATION {PUBLICATION} SET TABLE stock", "CREATE PUBLICATION own FOR TABLE stock"
    ),
    "make and drop a slot, and read the log of changes": lambda own: [
        Way(
            SHOP,
            (
                f"SELECT pg_create_logical_replication_slot('tried_{own.role}', 'pgoutput')",
                f"SELECT pg_drop_replication_slot('tried_{own.role}')",
            ),
            can_be_undone=False,
        ),
        Way(SHOP, (LOGICAL.format(own.role),), can_be_undone=False, replication="database"),
    ],
    "copy the whole server": lambda own: [Way(ADMIN, ("IDENTIFY_SYSTEM",), can_be_undone=False, replication="true")],
    "enter the server's own database": lambda own: [Way(ADMIN, ("SELECT 1",)), Way("template1", ("SELECT 1",))],
    "end another role's session": lambda own: [Way(_home(own.role), (OTHERS,))],
    "see the hashes of passwords": lambda own: [Way(_home(own.role), ("SELECT * FROM pg_authid",))],
    "make a role, or a database": lambda own: [
        Way(_home(own.role), ("CREATE ROLE own",)),
        Way(_home(own.role), (f"CREATE DATABASE own_{own.role}",), can_be_undone=False),
        Way(_home(own.role), ("ALTER ROLE daybreak PASSWORD 'x'",)),
    ],
    "change the server's settings": lambda own: [
        Way(_home(own.role), ("ALTER SYSTEM SET work_mem = '5MB'",), can_be_undone=False),
        Way(_home(own.role), ("SELECT pg_reload_conf()",)),
    ],
    "read a file, or start a program": lambda own: [
        Way(_home(own.role), ("SELECT pg_read_file('postgresql.conf')",)),
        Way(_home(own.role), ("COPY (SELECT 1) TO PROGRAM 'cat >/dev/null'",)),
    ],
}


def _home(role: Role) -> str:
    """The database that a role works in."""
    return {Role.OWNER: ADMIN, Role.LEASE: LEASES, Role.AIRFLOW: AIRFLOW}.get(role, SHOP)
