"""The platform's own passwords and keys, made at first start.

Data flow: random bytes -> `<home>/secrets.env` (0600), which Settings reads
Run: daybreak up --only postgres
"""

import base64
import secrets
from pathlib import Path

from infra.kafka_users import User
from infra.owner_file import put, turn
from infra.postgres_roles import Role
from infra.registry import every
from infra.settings import Settings
from infra.store_users import User as StoreUser

NAMES = ("_ACCESS_KEY", "_CLUSTER_ID")
"""Ends of generated settings that name something and prove nothing. What they name stays, so they are never changed."""


def _token(size: int) -> str:
    # Letters, digits and - _ only: it goes into URLs, ini files and connection strings unescaped. Never - first: a
    # command line would take it for an option, once in 64 times.
    while (token := secrets.token_urlsafe(size)).startswith("-"):
        pass
    return token


def _password() -> str:
    return _token(24)


def _wanted(s: Settings) -> dict[str, str]:
    """A new value for every secret of the embedded services; you set those of your own services."""
    wanted = {"DAYBREAK_SUPERVISOR_PASSWORD": _password()}
    if s.embedded("kafka_bootstrap"):
        wanted["DAYBREAK_KAFKA_CLUSTER_ID"] = _token(16)
        wanted |= {f"DAYBREAK_{user.setting.upper()}": _password() for user in User}
    if s.embedded("s3_endpoint"):
        for owner in StoreUser:
            wanted[f"DAYBREAK_{owner.access_setting.upper()}"] = secrets.token_hex(10)
            wanted[f"DAYBREAK_{owner.secret_setting.upper()}"] = _password()
    if s.embedded("gateway_host"):
        for role in ("WRITER", "READER"):
            wanted[f"DAYBREAK_GATEWAY_{role}_PASSWORD"] = _password()
    if s.embedded("postgres_dsn"):
        wanted |= {f"DAYBREAK_{role.setting.upper()}": _password() for role in Role}
    for setting, endpoint in (one for own in every().values() for one in own.secrets.items()):
        if endpoint is None or s.embedded(endpoint):
            wanted[f"DAYBREAK_{setting.upper()}"] = _password()
    wanted["DAYBREAK_QUEUE_PASSWORD"] = _password()
    wanted["DAYBREAK_SPARK_SECRET"] = _token(32)
    wanted["DAYBREAK_SPARK_UI_PASSWORD"] = _password()
    if s.embedded("airflow_url"):
        for whose in ("", "VIEWER_", "ADMIN_"):
            wanted[f"DAYBREAK_AIRFLOW_{whose}PASSWORD"] = _password()
        wanted["DAYBREAK_AIRFLOW_JWT_SECRET"] = _token(64)
        wanted["DAYBREAK_AIRFLOW_FERNET_KEY"] = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    return wanted


def anew(s: Settings) -> dict[str, str]:
    """Another value for each secret of the embedded services."""
    return {name: value for name, value in _wanted(s).items() if not is_name(name)}


def is_name(setting: str) -> bool:
    """Is it no secret, although it is generated?"""
    return setting.endswith(NAMES)


def ensure(s: Settings) -> bool:
    """Add the secrets that `<home>/secrets.env` lacks; those that are there stay. True if the file was changed."""
    file = secrets_file(s.home)
    if not _missing(s, file):
        return False
    with turn(file):
        # Nobody else has written it since.
        written = file.read_text() if file.exists() else ""
        put(file, written + "".join(f"{name}={value}\n" for name, value in _missing(s, file).items()))
    return True


def secrets_file(home: Path) -> Path:
    """Where they are, and nowhere else but in what each service reads of them."""
    return home / "secrets.env"


def written(file: Path) -> dict[str, str]:
    """Name and value of each line; none without a file."""
    lines = file.read_text().splitlines() if file.exists() else []
    return {name: value for name, sign, value in (line.partition("=") for line in lines) if sign}


def _missing(s: Settings, file: Path) -> dict[str, str]:
    there = written(file)
    return {name: value for name, value in _wanted(s).items() if name not in there}
