"""The writer's lease: one process at a time writes a layer.

Data flow: writer name -> Postgres advisory lock, held as long as the connection lives
Run: python -m streaming (twice: the second is refused)
Source: PostgreSQL manual, "Advisory Locks".
"""

import time
import zlib
from types import TracebackType

import psycopg

from infra.failures import PermanentFailure, TransientFailure
from infra.postgres_login import conninfo
from infra.postgres_roles import Role
from infra.settings import settings


class Lease:
    """A named advisory lock. If its process dies, the connection ends and releases the lock."""

    def __init__(self, name: str, wait_seconds: int = 0) -> None:
        self.name = f"{settings().bucket}/{name}"
        self.wait_seconds = wait_seconds
        self._key = zlib.crc32(self.name.encode())
        self._connection: psycopg.Connection[tuple[bool]] | None = None

    def __enter__(self) -> "Lease":
        try:
            self._connection = psycopg.connect(
                conninfo(settings(), Role.LEASE, "daybreak"),
                autocommit=True,
                connect_timeout=10,
                application_name=f"lease {self.name}",
            )
        except psycopg.OperationalError as failure:
            raise TransientFailure(
                f"Postgres does not answer, so the lease {self.name!r} cannot be taken: {failure}"
            ) from failure
        give_up = time.monotonic() + self.wait_seconds
        said = False
        while not self._taken():
            if time.monotonic() >= give_up:
                self._connection.close()
                if self.wait_seconds:
                    raise TransientFailure(
                        f"the lease {self.name!r} was held by another process for {self.wait_seconds} s"
                    )
                raise PermanentFailure(
                    f"another process holds the lease {self.name!r}: a second writer is refused, because two drivers "
                    "on one Delta table can lose a commit. Stop the first one (daybreak status shows it)."
                )
            if not said:
                print(f"waiting for the lease {self.name!r}, held by another process", flush=True)
                said = True
            time.sleep(0.5)
        return self

    def _taken(self) -> bool:
        assert self._connection is not None
        row = self._connection.execute("SELECT pg_try_advisory_lock(%s)", (self._key,)).fetchone()
        return bool(row and row[0])

    def check(self) -> None:
        """Raise TransientFailure if the connection, and with it the lease, is gone."""
        assert self._connection is not None
        try:
            self._connection.execute("SELECT 1")
        except psycopg.Error as failure:
            raise TransientFailure(f"the lease {self.name!r} is lost: {failure}") from failure

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._connection is not None:
            self._connection.close()
