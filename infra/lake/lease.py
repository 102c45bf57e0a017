"""The writer's lease: one process at a time writes a layer.

Data flow: writer name -> Postgres advisory lock, held as long as the connection lives; asked for again before each commit
Run: python -m streaming (twice: the second is refused)
Source: PostgreSQL manual, "Advisory Locks", "Connections and Authentication: TCP settings".

A process that stands still (SIGSTOP, a paused container) keeps its lease as long as its connection lives. When that has ended
meanwhile, another process may write. So whoever wakes asks before each commit, and each commit carries the lease's name for
Delta's log, which refuses one that was prepared before a commit of the next holder (infra/lake/writes.py).
"""

import logging
import os
import socket
import time
import zlib
from types import TracebackType

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow

from infra import in_force, logs
from infra.failures import PermanentFailure, TransientFailure
from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.settings import settings

GONE_SECONDS = 60
"""So long after its machine went away, a holder has lost its lease: then either side gives the connection up. By default a server
would wait for two hours, and nobody could write."""
_ASK, _AGAIN = GONE_SECONDS // 2, GONE_SECONDS // 6
TIMES = {"tcp_keepalives_idle": _ASK, "tcp_keepalives_interval": _AGAIN, "tcp_keepalives_count": 3}
OF_SERVER = {**TIMES, "tcp_user_timeout": GONE_SECONDS * 1000, "idle_session_timeout": 0}
"""For this session; it is idle between two commits, and a server of the user's own may end such sessions."""
OF_CLIENT = {name.removeprefix("tcp_"): seconds for name, seconds in TIMES.items()} | {
    "tcp_user_timeout": GONE_SECONDS * 1000,
    "connect_timeout": 10,
}
SET = "SELECT set_config(name, %s, false) FROM pg_settings WHERE name = %s"
HOLDER = """SELECT application_name, backend_start::timestamp(0) FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND ((classid::bigint << 32) | objid::bigint) = %s"""
_held: list["Lease"] = []
"""Those of this process."""


class Lease:
    """A named advisory lock. If its process dies, the connection ends and releases the lock."""

    def __init__(self, name: str, wait_seconds: int = 0) -> None:
        self.name = f"{settings().bucket}/{name}"
        self.wait_seconds = wait_seconds
        self._key = zlib.crc32(self.name.encode())
        self._connection: psycopg.Connection[TupleRow] | None = None

    def __enter__(self) -> "Lease":
        try:
            # Postgres keeps 63 letters of a name.
            named = f"lease {self.name}, process {os.getpid()} on {socket.gethostname()}"[:63]
            where = make_conninfo(conninfo(settings(), Role.LEASE, "daybreak"), application_name=named, **OF_CLIENT)
            self._connection = psycopg.connect(where, autocommit=True)
            for name, value in OF_SERVER.items():
                self._connection.execute(SET, (str(value), name))
        except psycopg.OperationalError as failure:
            raise TransientFailure(
                f"Postgres does not answer, so the lease {self.name!r} cannot be taken: {failure}"
            ) from failure
        give_up = time.monotonic() + self.wait_seconds
        said = False
        while not self._taken():
            if time.monotonic() >= give_up:
                holder = self._holder()
                self._connection.close()
                if self.wait_seconds:
                    raise TransientFailure(
                        f"the lease {self.name!r} was held by another process{holder} for {self.wait_seconds} s"
                    )
                raise PermanentFailure(
                    f"another process holds the lease {self.name!r}{holder}: a second writer is refused, because two drivers "
                    "on one Delta table can lose a commit. Stop the first one (daybreak status shows it)."
                )
            if not said:
                waits = f"waiting for the lease {self.name!r}, held by another process{self._holder()}"
                logs.line(waits, "daybreak lease", logging.INFO, waits)
                said = True
            time.sleep(0.5)
        try:
            in_force.refuse_other(settings().home, settings().bucket)
        except TransientFailure:
            self._connection.close()
            raise
        _held.append(self)
        return self

    def _taken(self) -> bool:
        assert self._connection is not None
        row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone()
        return bool(row and row[0])

    def _holder(self) -> str:
        """Who, and since when, as the database knows; empty if it has ended meanwhile."""
        assert self._connection is not None
        found = self._connection.execute(HOLDER, (self._key,)).fetchone()
        return f" ({found[0]}, since {found[1]} by the database's clock)" if found else ""

    def check(self) -> None:
        """Raise TransientFailure if the connection, and with it the lease, is gone."""
        assert self._connection is not None
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error as failure:
            raise TransientFailure(
                f"the lease {self.name!r} is lost, and another process may have it: nothing more is written ({failure})"
            ) from failure

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self in _held:
            _held.remove(self)
        if self._connection is not None:
            self._connection.close()


def still_held() -> list[str]:
    """The names of this process's leases. Raises TransientFailure if one is lost."""
    for one in list(_held):
        one.check()
    return [one.name for one in _held]
