"""The lines with which a program of yours logs in to the embedded Postgres, and the file with the password that they name.

Data flow: Settings, a role -> `<home>/postgres-clients/<role>.pgpass` (0600); lines for psql, Python, JDBC and dbt
Run: daybreak connect postgres
Source: PostgreSQL manual, "The Password File".
"""

from pathlib import Path
from urllib.parse import urlencode

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from infra.failures import PermanentFailure
from infra.owner_file import put
from infra.postgres_login import has, password
from infra.postgres_roles import OF_PROJECTS, Role
from infra.registry import at_postgres
from infra.services import postgres
from infra.services.roles import ADMIN, AIRFLOW, LEASES
from infra.settings import Settings
from infra.tls_settings import libpqs

MAY = {
    Role.OWNER: "does everything: for you and your administration",
    Role.LEASE: "holds leases: for the stream and the nightly steps",
    Role.AIRFLOW: "reads and writes Airflow's metadata: for Airflow",
    **{Role(name): own.may for name, own in OF_PROJECTS.items()},
}
HOMES = {
    Role.OWNER: ADMIN,
    Role.LEASE: LEASES,
    Role.AIRFLOW: AIRFLOW,
    **{Role(name): one.database for one in at_postgres() for name in one.roles},
}
"""The database that a role works in."""


def lines(s: Settings, role: Role, show: bool = False) -> str:
    """The lines. The password itself only if it is asked for. Raises PermanentFailure if the role has none."""
    if not s.embedded("postgres_dsn"):
        raise PermanentFailure(
            "the Postgres of DAYBREAK_POSTGRES_DSN is yours, with roles of its own: programs of ours enter it as the one that "
            "the setting names"
        )
    if not has(s, role):
        raise PermanentFailure(f"Postgres has no password of {role} yet: daybreak up makes it")
    host, port, database = _place(s, role)
    given = password_file(s, role)
    own = {"host": host, "port": port, "dbname": database, "user": str(role), "passfile": str(given), **_encrypted(s)}
    where, asked = make_conninfo(**own), urlencode(_encrypted(s))
    # The wheel's was built without OpenSSL.
    psql = "psql" if s.has_tls else postgres.binary("psql")
    return f"""\
{role} {MAY[role]}
password: {password(s, role) if show else f"the last field of {given}"}

# psql, and whatever else has libpq
{psql} "{where}"

# Python: pip install 'psycopg[binary]'
import psycopg
connection = psycopg.connect({where!r})
print(connection.execute("SELECT current_user, current_database()").fetchone())

# JDBC, with PostgreSQL's driver: user {role}, and the password
jdbc:postgresql://{host}:{port}/{database}{f"?{asked}" if asked else ""}

# dbt: an output of profiles.yml, with export DBT_ENV_SECRET_POSTGRES_PASSWORD="$(cut -d: -f5 {given})"
type: postgres
host: {host}
port: {port}
dbname: {database}
user: {role}
password: "{{{{ env_var('DBT_ENV_SECRET_POSTGRES_PASSWORD') }}}}"
schema: public{"".join(f"{chr(10)}{name}: {value}" for name, value in _encrypted(s).items())}"""


def password_file(s: Settings, role: Role) -> Path:
    """What libpq is given, written anew: only its owner reads it, or libpq would not."""
    host, port, database = _place(s, role)
    file = given_file(s, role)
    file.parent.mkdir(parents=True, exist_ok=True)
    # A generated password has none of the signs that mean something here.
    escaped = password(s, role).replace("\\", "\\\\").replace(":", "\\:")
    put(file, f"{host}:{port}:{database}:{role}:{escaped}\n")
    return file


def given_file(s: Settings, role: Role) -> Path:
    """Where it is, once it was asked for."""
    return s.home / "postgres-clients" / f"{role}.pgpass"


def _encrypted(s: Settings) -> dict[str, str]:
    """What libpq, PostgreSQL's JDBC driver and dbt-postgres are told of TLS, all by the same names."""
    return libpqs(conninfo_to_dict(s.postgres_dsn))


def _place(s: Settings, role: Role) -> tuple[str, str, str]:
    own = conninfo_to_dict(s.postgres_dsn)
    return str(own["host"]), str(own["port"]), HOMES[role]
