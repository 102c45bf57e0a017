"""How a program of ours says to Postgres who it is.

Data flow: Settings, a role, a database -> libpq connection string with the password
Run: daybreak up --only postgres

A Postgres of yours has the one role that DAYBREAK_POSTGRES_DSN names.
"""

from psycopg.conninfo import make_conninfo

from infra.postgres_roles import Role
from infra.settings import Settings


def password(s: Settings, role: Role) -> str:
    """The role's password; empty if there is none."""
    found: str = getattr(s, role.setting).get_secret_value()
    return found


def has(s: Settings, role: Role) -> bool:
    """Is it a role of a server of ours, with a password of its own?"""
    return s.embedded("postgres_dsn") and bool(password(s, role))


def conninfo(s: Settings, role: Role, database: str) -> str:
    """The connection string of a role; of the one that the settings name, where there is no other."""
    if has(s, role):
        return make_conninfo(s.postgres_dsn, user=role, password=password(s, role), dbname=database)
    return make_conninfo(s.postgres_dsn, password=password(s, Role.OWNER), dbname=database)
