"""Who there is in the embedded Postgres: a role for each use, and the server's own, which makes the others.

Data flow: DAYBREAK_POSTGRES_<ROLE>_PASSWORD -> Settings
Run: daybreak connect postgres

What each of them may do is in infra/services/roles.py. Projects that come along declare theirs (infra/parts.py).
"""

from enum import StrEnum

from pydantic import SecretStr, field_validator
from pydantic_settings import BaseSettings

from infra.generated import password, plain
from infra.registry import at_postgres, members

OF_PROJECTS = {name: role for one in at_postgres() for name, role in one.roles.items()}
"""What projects that come along declare of theirs."""


class Role(StrEnum):
    """A role of the embedded Postgres."""

    OWNER = "daybreak"
    LEASE = "lease"
    AIRFLOW = "airflow"
    locals().update(members(OF_PROJECTS))

    @property
    def setting(self) -> str:
        """The setting with its password."""
        return "postgres_password" if self is Role.OWNER else f"postgres_{self}_password"


OWN = tuple(role for role in Role if role is not Role.OWNER)
"""Those that the server's own role makes."""


class PostgresRoles(BaseSettings):
    """A password each; projects have theirs."""

    postgres_lease_password: SecretStr = password("Postgres's role `lease`: one writer at a time")
    postgres_airflow_password: SecretStr = password("`airflow`: Airflow's metadata")

    _plain_password = field_validator(*(role.setting for role in OWN if role not in OF_PROJECTS))(plain)
