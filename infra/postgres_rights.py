"""Who may do what with the embedded Postgres: what a test tries as every role, with who may.

Data flow: TRIES -> a test on a running server, a table of infra/README.md
Run: pytest tests/platform/doors/test_postgres.py

What each role is granted is in infra/services/roles.py, apart: a grant that gives too much is found by a try.
"""

from dataclasses import dataclass

from infra.marked_page import made_anew
from infra.postgres_roles import Role
from infra.registry import at_postgres
from infra.rights_table import table

MARKERS = (
    "<!-- who may do what with Postgres: made by make catalog -->",
    "<!-- end of who may do what with Postgres -->",
)


@dataclass(frozen=True)
class Try:
    """Something to do with the server, and who may."""

    what: str
    may: tuple[Role, ...]


OWNER, LEASE, AIRFLOW = Role.OWNER, Role.LEASE, Role.AIRFLOW
TRIES = (
    Try("hold a lease", (OWNER, LEASE)),
    Try("keep anything beside the leases", (OWNER,)),
    Try("make and write Airflow's tables", (OWNER, AIRFLOW)),
    *(Try(what, (OWNER, *map(Role, may))) for one in at_postgres() for what, may in one.tries.items()),
    Try("copy the whole server", ()),
    Try("enter the server's own database", (OWNER,)),
    Try("end another role's session", (OWNER,)),
    Try("see the hashes of passwords", (OWNER,)),
    Try("make a role, or a database", (OWNER,)),
    Try("change the server's settings", (OWNER,)),
    Try("read a file, or start a program", (OWNER,)),
)


def page(text: str) -> str:
    """The page with a new table. Raises ValueError where the markers are missing."""
    return made_anew(text, MARKERS, table(TRIES, Role))
