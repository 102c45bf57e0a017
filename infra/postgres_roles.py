"""Who there is in the embedded Postgres: a role for each use, and the server's own, which makes the others.

Data flow: DAYBREAK_POSTGRES_<ROLE>_PASSWORD -> Settings
Run: daybreak connect postgres

What each of them may do is in infra/services/roles.py.
"""

from enum import StrEnum

from pydantic import SecretStr, field_validator
from pydantic_settings import BaseSettings

from infra.generated import password, plain


class Role(StrEnum):
    """A role of the embedded Postgres."""

    OWNER = "daybreak"
    LEASE = "lease"
    AIRFLOW = "airflow"
    SHOP = "shop"
    CAPTURE = "capture"
    READER = "reader"

    @property
    def setting(self) -> str:
        """The setting with its password."""
        return "postgres_password" if self is Role.OWNER else f"postgres_{self}_password"


OWN = tuple(role for role in Role if role is not Role.OWNER)
"""Those that the server's own role makes."""


class PostgresRoles(BaseSettings):
    """A password each."""

    postgres_lease_password: SecretStr = password("Postgres's role `lease`: one writer at a time")
    postgres_airflow_password: SecretStr = password("`airflow`: Airflow's metadata")
    postgres_shop_password: SecretStr = password("`shop`: the shop and its followers, with the option shop-db")
    postgres_capture_password: SecretStr = password("`capture`: Debezium, which reads the shop's log")
    postgres_reader_password: SecretStr = password("`reader`: people and tools that read the shop's tables")

    _plain_password = field_validator(*(role.setting for role in OWN))(plain)
