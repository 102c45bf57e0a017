"""Settings of the capture of the shop's database (option shop-db).

Data flow: DAYBREAK_SLOT_MB, DAYBREAK_LOCK_SECONDS, DAYBREAK_CONNECT_* -> Settings
Run: daybreak up --with shop-db
"""

from pydantic import Field, SecretStr

from infra.port_settings import Ports


class Capture(Ports):
    """What the connector and our statements may take of the database and of the machine."""

    slot_mb: int = Field(
        4096, ge=16, description="Log (MB) that Postgres keeps at most for a connector that stands still"
    )
    lock_seconds: int = Field(
        5,
        ge=1,
        description="Longest wait (s) of a statement of ours for a lock in the shop's database: others wait behind it",
    )
    connect_password: SecretStr = Field(
        SecretStr(""), description="Password of Kafka Connect's interface on `CONNECT_PORT` (user `owner`); generated"
    )
    connect_memory: str = Field("384m", description="Heap of Kafka Connect, which captures the shop's database")
