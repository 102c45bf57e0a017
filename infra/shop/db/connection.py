"""Connections to the shop's database: the embedded Postgres, or any other by DAYBREAK_SHOP_DSN.

Data flow: Settings -> libpq connection string -> connection
Run: daybreak up --with shop-db
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.errors import LockNotAvailable
from psycopg.pq import Format

from infra.failures import TransientFailure
from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.settings import Settings
from infra.shop.db.locks import Watch
from infra.shop.settings import shops
from infra.shop.users import SHOP

_Read = psycopg.adapters.get_loader(psycopg.adapters.types["timestamptz"].oid, Format.TEXT)
_MIN, _MAX = (one.replace(tzinfo=UTC) for one in (datetime.min, datetime.max))


class Bounded(Loader):
    """A time that Python cannot hold (infinity, a year BC or beyond 9999) is the first or the last that it can."""

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        assert _Read is not None
        self._read = _Read(oid, context).load

    def load(self, data: Buffer) -> datetime:
        text = bytes(data)
        if text.endswith(b"BC") or text == b"-infinity":
            return _MIN
        return _MAX if text == b"infinity" or text.find(b"-") > YEAR else self._read(data)


Connection = psycopg.Connection[tuple[Any, ...]]
SECONDS = 10
YEAR = 4
"""Digits of a year that Python can hold."""


def dsn(s: Settings, role: Role = SHOP) -> str:
    """The connection string with its password. A database of yours has the one user that DAYBREAK_SHOP_DSN names."""
    given = shops(s).shop_password.get_secret_value()
    if not given and s.embedded("shop_dsn"):
        return conninfo(s, role, str(conninfo_to_dict(shops(s).shop_dsn)["dbname"]))
    return make_conninfo(shops(s).shop_dsn, **({"password": given} if given else {}))


def parts(s: Settings, role: Role = SHOP) -> dict[str, str]:
    """The connection string by its keywords: host, port, user, dbname, password."""
    return {name: str(value) for name, value in conninfo_to_dict(dsn(s, role)).items() if value is not None}


@contextmanager
def connected(s: Settings, role: Role = SHOP, autocommit: bool = True) -> Iterator[Connection]:
    """A connection. No statement waits for a lock longer than `lock_seconds`.

    Raises TransientFailure if the server does not answer, ends the connection, or does not give a lock in time.
    """
    own = dsn(s, role)
    options = f"{conninfo_to_dict(own).get('options') or ''} -c lock_timeout={shops(s).lock_seconds}s".strip()
    limited = make_conninfo(own, options=options)
    try:
        with (
            psycopg.connect(limited, autocommit=autocommit, connect_timeout=SECONDS) as connection,
            Watch(connection, own, shops(s).lock_seconds) as watch,
        ):
            connection.adapters.register_loader("timestamptz", Bounded)
            try:
                yield connection
            except LockNotAvailable as failure:
                raise TransientFailure(watch.sentence()) from failure
    except psycopg.OperationalError as failure:
        said = str(failure).strip().splitlines()
        raise TransientFailure(
            f"the shop's database does not answer: {said[-1] if said else 'no reason given'}"
        ) from failure
