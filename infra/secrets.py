"""The platform's own passwords and keys, made at first start.

Data flow: random bytes -> `<home>/secrets.env` (0600), which Settings reads
Run: daybreak up --only postgres
"""

import base64
import os
import secrets

from infra.kafka_users import User
from infra.postgres_roles import Role
from infra.settings import Settings
from infra.store_users import User as StoreUser

OWNER_ONLY = 0o600


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
    if s.embedded("cache_url"):
        wanted["DAYBREAK_CACHE_PASSWORD"] = _password()
    wanted["DAYBREAK_CONNECT_PASSWORD"] = _password()
    wanted["DAYBREAK_QUEUE_PASSWORD"] = _password()
    wanted["DAYBREAK_SPARK_SECRET"] = _token(32)
    wanted["DAYBREAK_SPARK_UI_PASSWORD"] = _password()
    if s.embedded("airflow_url"):
        for whose in ("", "VIEWER_", "ADMIN_"):
            wanted[f"DAYBREAK_AIRFLOW_{whose}PASSWORD"] = _password()
        wanted["DAYBREAK_AIRFLOW_JWT_SECRET"] = _token(64)
        wanted["DAYBREAK_AIRFLOW_FERNET_KEY"] = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    return wanted


def ensure(s: Settings) -> bool:
    """Add the secrets that `<home>/secrets.env` lacks; those that are there stay. True if the file was changed."""
    file = s.home / "secrets.env"
    written = file.read_text() if file.exists() else ""
    there = {line.partition("=")[0] for line in written.splitlines()}
    missing = {name: value for name, value in _wanted(s).items() if name not in there}
    if not missing:
        return False
    s.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.touch(mode=OWNER_ONLY)
    fresh.write_text(written + "".join(f"{name}={value}\n" for name, value in missing.items()))
    fresh.replace(file)
    return True
