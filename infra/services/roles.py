"""The embedded Postgres's databases and roles: who owns which, and what else a role may do.

Data flow: Settings -> databases, each with its owner; roles with their passwords; grants
Run: daybreak up --only postgres
Source: PostgreSQL manual, "Privileges", "Role Attributes", "Predefined Roles".

A second time it changes nothing but salts. A home from before there were roles hands its tables over to their owners.
"""

from collections.abc import Collection
from typing import Any

import psycopg
from psycopg import sql

from infra.postgres_login import conninfo, has, password
from infra.postgres_roles import OWN, Role
from infra.settings import Settings
from infra.shop.db.past import FUNCTIONS

LEASES, AIRFLOW, SHOP, ADMIN = "daybreak", "airflow", "shop", "postgres"
OWNERS = {LEASES: Role.OWNER, AIRFLOW: Role.AIRFLOW, SHOP: Role.SHOP}
"""The databases and their owners."""
ENTERS = {
    LEASES: (Role.LEASE,),
    AIRFLOW: (Role.AIRFLOW,),
    SHOP: (Role.SHOP, Role.CAPTURE, Role.READER),
    ADMIN: (),
    "template1": (),
}
"""Who may connect to which, beside the server's own role."""
ATTRIBUTES = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS"
READERS = 20
"""Sessions of people, of the server's 100: more would leave none for the leases."""
Connection = psycopg.Connection[tuple[Any, ...]]

_PUBLIC = "'public'::regnamespace"
_HELD = {
    # A sequence of a table's column goes with its table.
    "TABLE": f"SELECT oid::regclass::text FROM pg_class WHERE relnamespace = {_PUBLIC} AND relkind IN ('r', 'p', 'v', 'm') "
    "AND relowner = %s::regrole",
    "SEQUENCE": f"SELECT oid::regclass::text FROM pg_class WHERE relnamespace = {_PUBLIC} AND relkind = 'S' "
    "AND relowner = %s::regrole",
    "TYPE": f"SELECT oid::regtype::text FROM pg_type WHERE typnamespace = {_PUBLIC} AND typtype IN ('e', 'd') "
    "AND typowner = %s::regrole",
    "ROUTINE": f"SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = {_PUBLIC} AND proowner = %s::regrole",
    "PUBLICATION": "SELECT quote_ident(pubname) FROM pg_publication WHERE pubowner = %s::regrole",
}
"""By their kind: the names of a database's things that a role owns, fit for SQL."""


def make(s: Settings) -> None:
    """Create what is missing, and let each role do what it needs, and nothing else."""
    own: list[Role] = [role for role in OWN if has(s, role)]
    with psycopg.connect(conninfo(s, Role.OWNER, ADMIN), autocommit=True) as server:
        for role in own:
            _make_role(s, server, role)
        there = {row[0] for row in server.execute("SELECT datname FROM pg_database")}
        for name in OWNERS.keys() - there:
            server.execute(_sql("CREATE DATABASE {}", name))
        for name, enter in ENTERS.items() if own else ():
            server.execute(_sql("REVOKE ALL ON DATABASE {} FROM PUBLIC", name))
            for role in enter:
                server.execute(_sql("GRANT CONNECT ON DATABASE {} TO {}", name, role))
        for name, owner in OWNERS.items():
            if owner in own:
                server.execute(_sql("ALTER DATABASE {} OWNER TO {}", name, owner))
    for name, owner in OWNERS.items():
        if owner in own:
            with psycopg.connect(conninfo(s, Role.OWNER, name), autocommit=True) as database:
                _hand_over(database, owner)
                if name == SHOP:
                    _of_the_shop(database, own)


def _make_role(s: Settings, server: Connection, role: Role) -> None:
    if not server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
        server.execute(_sql("CREATE ROLE {}", role))
    # Who reads the log of changes must be one that may replicate. A copy of the whole server pg_hba.conf gives nobody.
    may = f"{ATTRIBUTES} {'' if role is Role.CAPTURE else 'NO'}REPLICATION"
    may += f" CONNECTION LIMIT {READERS if role is Role.READER else -1}"
    # Hashed here, so that no password is in a statement.
    hashed = server.pgconn.encrypt_password(password(s, role).encode(), role.encode(), b"scram-sha-256").decode()
    altered = sql.SQL("ALTER ROLE {} {} PASSWORD {}")
    server.execute(altered.format(sql.Identifier(role), sql.SQL(may), sql.Literal(hashed)))


def _hand_over(database: Connection, owner: Role) -> None:
    """To a database's owner what the server's own role had in it."""
    for kind, held in _HELD.items():
        for (name,) in database.execute(held, [Role.OWNER]).fetchall():
            given = sql.SQL("ALTER {} {} OWNER TO {}")
            database.execute(given.format(sql.SQL(kind), sql.SQL(name), sql.Identifier(owner)))


def _of_the_shop(database: Connection, own: Collection[Role]) -> None:
    """The shop may say when a past transaction was committed; capture and people read its tables, those to come too."""
    for function in FUNCTIONS:
        database.execute(_sql("GRANT EXECUTE ON FUNCTION {} TO {}", function, Role.SHOP))
    for role in {Role.CAPTURE, Role.READER}.intersection(own):
        database.execute(_sql("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}", role))
        database.execute(
            _sql(
                "ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA public GRANT SELECT ON TABLES TO {}",
                Role.SHOP,
                role,
            )
        )


def _sql(text: str, *names: str) -> sql.Composed:
    return sql.SQL(text).format(*map(sql.Identifier, names))
