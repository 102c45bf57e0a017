"""Settings of TLS: whether the embedded services speak it, at which name, and with whose certificate.

Data flow: DAYBREAK_TLS, DAYBREAK_TLS_HOST, DAYBREAK_TLS_CERTIFICATE, ... -> Settings
Run: DAYBREAK_TLS=on daybreak up
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from pydantic_settings import BaseSettings

LOOPBACK = "127.0.0.1"
"""Where the embedded services listen, with TLS too."""


class TlsSettings(BaseSettings):
    """One switch, and a certificate of yours in place of ours."""

    tls: Literal["off", "on"] = Field(
        "off",
        description="`on`: the embedded Kafka, store, Postgres, SQL gateway, Kafka Connect, webhooks and Airflow speak TLS, "
        "and nothing else",
    )
    tls_host: str = Field(
        LOOPBACK,
        min_length=1,
        pattern=r"^[\w.-]+$",
        description="With TLS: the name or address at which clients find them, which the certificate must have; it must "
        "lead to this machine's loopback",
    )
    tls_certificate: str = Field(
        "", description="File with a certificate of yours (PEM), with what is between it and its CA; empty: ours"
    )
    tls_key: str = Field("", description="File with its private key (PEM, without a passphrase)")
    tls_ca: str = Field("", description="File with the CA that has issued it (PEM): what clients trust")


def has_tls(known: Mapping[str, Any]) -> bool:
    """Is it on, as far as the settings are known?"""
    return bool(known.get("tls") == "on")


def host(known: Mapping[str, Any]) -> str:
    """Where clients find the embedded services."""
    return str(known["tls_host"]) if has_tls(known) and "tls_host" in known else LOOPBACK


def address(known: Mapping[str, Any], port: str) -> str:
    """The same with a port, as it stands in an address."""
    return f"{host(known)}:{known[port]}"


def url(known: Mapping[str, Any], port: str) -> str:
    """The address for a browser or a client of HTTP."""
    return f"{'https' if has_tls(known) else 'http'}://{address(known, port)}"


def of_libpq(known: Mapping[str, Any]) -> str:
    """What a connection string of the embedded Postgres says besides; nothing without TLS."""
    if not has_tls(known):
        return ""
    file = str(ca_file(known["home"])).replace("\\", "\\\\").replace("'", "\\'")
    return f" sslmode=verify-full sslrootcert='{file}'"


def libpqs(parts: Mapping[str, Any]) -> dict[str, str]:
    """Of the parts of a connection string those about TLS, by libpq's names, which others know too."""
    return {name: str(parts[name]) for name in ("sslmode", "sslrootcert") if name in parts}


def ca_file(home: Path) -> Path:
    """The CA's certificate: what a client trusts. Everybody may know it."""
    return home / "tls" / "ca.pem"
