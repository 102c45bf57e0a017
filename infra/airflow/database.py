"""How Airflow's own connections to its database are encrypted: Airflow imports what its asynchronous client is told.

Data flow: Settings -> URL of the metadata database; arguments of asyncpg
Run: daybreak up --only postgres,airflow-api

libpq's words for it are not asyncpg's, and Airflow makes one URL from the other; so each has its own.
"""

import ssl
from typing import Any
from urllib.parse import quote, urlencode

from psycopg.conninfo import conninfo_to_dict

from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.settings import Settings, settings
from infra.tls_settings import libpqs

TLS = {"sslmode", "sslrootcert"}
"""libpq's words of which asyncpg is told something."""


def configuration(s: Settings) -> dict[str, str]:
    """The keys of Airflow's section for it. Reads no file: every command asks for them, also while a rotation has no CA."""
    own = {"SQL_ALCHEMY_CONN": url(s)}
    if TLS & _parts(s).keys():
        own |= {"SQL_ALCHEMY_CONN_ASYNC": url(s, "asyncpg"), "SQL_ALCHEMY_CONNECT_ARGS_ASYNC": f"{__name__}.ASYNC"}
    return own


def url(s: Settings, driver: str = "psycopg2") -> str:
    """SQLAlchemy URL of the metadata database."""
    parts = _parts(s)
    user, password = (quote(parts.get(name, ""), safe="") for name in ("user", "password"))
    host = f"[{parts['host']}]" if ":" in parts.get("host", "") else parts.get("host", "")
    port = f":{parts['port']}" if parts.get("port") else ""
    told = urlencode(libpqs(parts)) if driver == "psycopg2" else ""
    return f"postgresql+{driver}://{user}:{password}@{host}{port}/airflow{f'?{told}' if told else ''}"


def of_asyncpg(s: Settings) -> dict[str, Any]:
    """What asyncpg is told of TLS: the CA that is trusted, and the mode alone where the connection string names none."""
    parts = _parts(s)
    if "sslrootcert" in parts:
        return {"ssl": ssl.create_default_context(cafile=parts["sslrootcert"])}
    return {"ssl": parts["sslmode"]} if "sslmode" in parts else {}


def _parts(s: Settings) -> dict[str, str]:
    return {name: str(value) for name, value in conninfo_to_dict(conninfo(s, Role.AIRFLOW, "airflow")).items()}


def __getattr__(name: str) -> dict[str, Any]:
    if name == "ASYNC":
        return of_asyncpg(settings())
    raise AttributeError(name)
