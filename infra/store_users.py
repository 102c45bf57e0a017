"""Who there is in the lake's object store: a key for each process that writes tables, one for people, and the root's.

Data flow: DAYBREAK_<USER>_S3_ACCESS_KEY, DAYBREAK_<USER>_S3_SECRET_KEY -> Settings
Run: daybreak connect s3

What each of them may do follows from the registry of tables (infra/lake/rights.py).
"""

from enum import StrEnum

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings


class User(StrEnum):
    """A user of the lake's store. The writers are called as in infra/lake/tables.py."""

    ROOT = "root"
    STREAM = "stream"
    NIGHT = "night"
    GATEWAY = "gateway"
    READER = "reader"

    @property
    def access_setting(self) -> str:
        """The setting with its access key."""
        return "s3_access_key" if self is User.ROOT else f"{self}_s3_access_key"

    @property
    def secret_setting(self) -> str:
        """The setting with its secret key."""
        return "s3_secret_key" if self is User.ROOT else f"{self}_s3_secret_key"


OWN = tuple(user for user in User if user is not User.ROOT)
"""Those with a key of their own; the root's is that of the whole store."""


def _access(who: str) -> str:
    made: str = Field("", description=f"S3 access key of {who}; generated for the embedded store")
    return made


def _secret() -> SecretStr:
    made: SecretStr = Field(
        SecretStr(""),
        description="Its secret key; generated for the embedded store; a user without keys takes `S3_...`",
    )
    return made


class StoreUsers(BaseSettings):
    """A pair of keys each."""

    stream_s3_access_key: str = _access("the stream, which writes its tables and its checkpoints")
    stream_s3_secret_key: SecretStr = _secret()
    night_s3_access_key: str = _access("the nightly steps, which write their tables and the reports")
    night_s3_secret_key: SecretStr = _secret()
    gateway_s3_access_key: str = _access("the SQL gateway, which writes `gold/`")
    gateway_s3_secret_key: SecretStr = _secret()
    reader_s3_access_key: str = _access("people, tools and the command line, which read")
    reader_s3_secret_key: SecretStr = _secret()
