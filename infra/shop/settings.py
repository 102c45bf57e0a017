"""The shop's settings: its database, the capture of its changes, the cache that follows it.

Data flow: DAYBREAK_SHOP_*, DAYBREAK_CONNECT_*, DAYBREAK_CACHE_*, DAYBREAK_LOCK_SECONDS -> Settings -> shops(s)
Run: daybreak up --with shop-db
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings

from infra.generated import password, plain
from infra.shop.doors import KAFKA, POSTGRES
from infra.tls_settings import LOOPBACK, has_tls, host, of_libpq


def cache_address(known: Mapping[str, Any]) -> str:
    """The embedded cache. It speaks no TLS: with it on, it is at no port, but at a socket of the home, its owner's alone."""
    if has_tls(known):
        return f"unix://{quote(str(cache_socket(known['home'])))}?db=0"
    return f"redis://{LOOPBACK}:{known['cache_port']}/0"


def cache_socket(home: Path) -> Path:
    """Where the cache is without a port."""
    return home / "cache" / "socket"


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
        default_factory=cache_address,
        description="URL (no password) of the cache, a Valkey or Redis: `rediss://user@host:6379/0` with TLS",
    )
    cache_password: SecretStr = password("the cache")
    cache_mb: int = Field(
        128, ge=8, description="Memory (MB) of the embedded cache; if it is full, its follower says so"
    )
    kafka_shop_password: SecretStr = password("Kafka's user `shop`: `daybreak shop` and `daybreak send`")
    kafka_connect_password: SecretStr = password("`connect`: Kafka Connect with Debezium")
    kafka_orders_password: SecretStr = password("`orders`: the order service")
    kafka_follower_password: SecretStr = password("`follower`: the followers")
    postgres_shop_password: SecretStr = password(
        "Postgres's role `shop`: the shop and its followers, with the option shop-db"
    )
    postgres_capture_password: SecretStr = password("`capture`: Debezium, which reads the shop's log")
    postgres_reader_password: SecretStr = password("`reader`: people and tools that read the shop's tables")

    _plain_of_kafka = field_validator(*(f"kafka_{user}_password" for user in KAFKA.users))(plain)
    _plain_of_postgres = field_validator(*(f"postgres_{role}_password" for role in POSTGRES.roles))(plain)


def shops(s: BaseSettings) -> ShopSettings:
    """The shop's own, which every Settings has."""
    return cast(ShopSettings, s)
