"""The shop's settings: its database, the capture of its changes, the cache that follows it.

Data flow: DAYBREAK_SHOP_*, DAYBREAK_CONNECT_*, DAYBREAK_CACHE_*, DAYBREAK_LOCK_SECONDS -> Settings -> shops(s)
Run: daybreak up --with shop-db
"""

from typing import cast

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings

from infra import tls_settings
from infra.generated import password
from infra.tls_settings import host, of_libpq


class ShopSettings(BaseSettings):
    """What the connector, the followers and our statements may take of the database and of the machine."""

    shop_dsn: str = Field(
        default_factory=lambda d: f"host={host(d)} port={d['postgres_port']} user=daybreak dbname=shop{of_libpq(d)}",
        description="libpq connection string (no password) of the shop's database, whose changes are captured",
    )
    shop_password: SecretStr = Field(SecretStr(""), description="Password of a shop's database of yours")
    lock_seconds: int = Field(
        5,
        ge=1,
        description="Longest wait (s) of a statement of ours for a lock in the shop's database: others wait behind it",
    )
    connect_password: SecretStr = Field(
        SecretStr(""), description="Password of Kafka Connect's interface on `CONNECT_PORT` (user `owner`); generated"
    )
    connect_memory: str = Field("384m", description="Heap of Kafka Connect, which captures the shop's database")
    cache_url: str = Field(
        default_factory=lambda d: tls_settings.cache_url(d),
        description="URL (no password) of the cache, a Valkey or Redis: `rediss://user@host:6379/0` with TLS",
    )
    cache_password: SecretStr = password("the cache")
    cache_mb: int = Field(
        128, ge=8, description="Memory (MB) of the embedded cache; if it is full, its follower says so"
    )


def shops(s: BaseSettings) -> ShopSettings:
    """The shop's own, which every Settings has."""
    return cast(ShopSettings, s)
