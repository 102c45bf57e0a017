"""Who there is in the embedded Postgres: a role for each use, and the server's own, which makes the others.

Data flow: DAYBREAK_POSTGRES_<ROLE>_PASSWORD -> Settings
Run: daybreak up --only postgres

What each of them may do is in infra/services/roles.py.
"""

import re
from enum import StrEnum

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings


class Role(StrEnum):
    """A role of the embedded Postgres."""

    OWNER = "daybreak"
    LEASE = "lease"
    AIRFLOW = "airflow"
    SHOP = "shop"
    CAPTURE = "capture"

    @property
    def setting(self) -> str:
        """The setting with its password."""
        return "postgres_password" if self is Role.OWNER else f"postgres_{self}_password"


OWN = tuple(role for role in Role if role is not Role.OWNER)
"""Those that the server's own role makes."""


def _of(who: str) -> SecretStr:
    made: SecretStr = Field(SecretStr(""), description=f"Password of {who}; generated when embedded")
    return made


class PostgresRoles(BaseSettings):
    """A password each."""

    postgres_lease_password: SecretStr = _of("Postgres's role `lease`: one writer at a time")
    postgres_airflow_password: SecretStr = _of("`airflow`: Airflow's metadata")
    postgres_shop_password: SecretStr = _of("`shop`: the shop and its followers, with the option shop-db")
    postgres_capture_password: SecretStr = _of("`capture`: Debezium, which reads the shop's log")

    @field_validator(*(role.setting for role in OWN))
    @classmethod
    def _plain_password(cls, value: SecretStr) -> SecretStr:
        # It stands in quotes in a file of Java's.
        if re.search(r"[\s\"'\\]", value.get_secret_value()):
            raise ValueError("a password has no blanks, quotes or backslashes")
        return value
