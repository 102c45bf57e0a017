"""The embedded Postgres's databases and roles: who owns which, and what else a role may do.

Data flow: Settings -> databases, each with its owner; roles with their passwords; grants
Run: daybreak up --only postgres
Source: PostgreSQL manual, "Privileges", "Role Attributes", "Predefined Roles".

A second time it changes nothing but salts. A home from before there were roles hands its tables over to their owners.
"""

from typing import Any

import psycopg
from psycopg import sql

from infra.parts import PostgresRole
from infra.postgres_login import conninfo, has, password
from infra.postgres_roles import OF_PROJECTS, OWN, Role
from infra.registry import at_postgres, named
from infra.settings import Settings

LEASES, AIRFLOW, ADMIN = "daybreak", "airflow", "postgres"
PROJECTS = {one.database: one for one in at_postgres()}
OWNERS = {LEASES: Role.OWNER, AIRFLOW: Role.AIRFLOW, **{name: Role(one.owner) for name, one in PROJECTS.items()}}
"""The databases and their owners."""
ENTERS = {
    LEASES: (Role.LEASE,),
    AIRFLOW: (Role.AIRFLOW,),
    **{name: tuple(map(Role, one.roles)) for name, one in PROJECTS.items()},
    ADMIN: (),
    "template1": (),
}
"""Who may connect to which, beside the server's own role."""
ATTRIBUTES = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS"
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
            server.execute(composed("CREATE DATABASE {}", name))
        for name, enter in ENTERS.items() if own else ():
            server.execute(composed("REVOKE ALL ON DATABASE {} FROM PUBLIC", name))
            for role in enter:
                server.execute(composed("GRANT CONNECT ON DATABASE {} TO {}", name, role))
        for name, owner in OWNERS.items():
            if owner in own:
                server.execute(composed("ALTER DATABASE {} OWNER TO {}", name, owner))
    for name, owner in OWNERS.items():
        if owner in own:
            with psycopg.connect(conninfo(s, Role.OWNER, name), autocommit=True) as database:
                _hand_over(database, owner)
                if name in PROJECTS:
                    named(PROJECTS[name].grants)(database, own)


def _make_role(s: Settings, server: Connection, role: Role) -> None:
    if not server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
        server.execute(composed("CREATE ROLE {}", role))
    told = OF_PROJECTS.get(role, PostgresRole(may=""))
    # Who reads the log of changes must be one that may replicate. A copy of the whole server pg_hba.conf gives nobody.
    may = f"{ATTRIBUTES} {'' if told.replicates else 'NO'}REPLICATION CONNECTION LIMIT {told.sessions}"
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


def composed(text: str, *names: str) -> sql.Composed:
    """A statement with names in place of its `{}`."""
    return sql.SQL(text).format(*map(sql.Identifier, names))
