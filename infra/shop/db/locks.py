"""Locks of the shop's database: ours wait for a limited time, and who is waited for is named.

Data flow: pg_blocking_pids, pg_stat_activity -> sessions that hold a lock -> a sentence
Run: daybreak status
Source: PostgreSQL manual, "Explicit Locking" and lock_timeout.

A statement that waits for a strong lock holds up everybody who comes behind it, and an application may leave a transaction open
for hours. So no statement of ours waits longer than DAYBREAK_LOCK_SECONDS. When it has given up, the server no longer knows
whom it waited for: a watch looks meanwhile.
"""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import psycopg

LOOKS = 3
"""How often a watch looks within the longest wait."""
_BLOCKING = """
SELECT own.pid, one.application_name, one.usename, one.state, coalesce(one.xact_start, one.backend_start), one.query
FROM (SELECT DISTINCT unnest(pg_blocking_pids(pid)) AS pid FROM pg_stat_activity WHERE {}) AS own
LEFT JOIN pg_stat_activity AS one ON one.pid = own.pid ORDER BY 5"""
_OF_CAPTURE = "application_name LIKE 'Debezium%' AND datname = current_database()"


class Session(NamedTuple):
    """A session that another one waits for. `pid` is 0 for a prepared transaction; of another user's session we may see less."""

    pid: int
    program: str | None
    user: str | None
    state: str | None
    since: datetime | None
    statement: str | None

    def __str__(self) -> str:
        if not self.pid:
            return "a prepared transaction (SELECT * FROM pg_prepared_xacts)"
        who = " of ".join(one for one in (self.program, self.user) if one)
        since = f" since {self.since.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC" if self.since else ""
        said = " ".join((self.statement or "").split())
        last = f", its last statement: {said[:100]}" if said else ""
        return f"session {self.pid}{f' ({who})' if who else ''}, {self.state or 'in a transaction'}{since}{last}"


def held_up(own: psycopg.Connection[tuple[Any, ...]]) -> str | None:
    """Whom the capture waits for in the database, and what to do; None if it waits for nobody."""
    found = [Session(*row) for row in own.execute(_BLOCKING.format(_OF_CAPTURE)).fetchall()]
    return f"the capture waits in the shop's database for {_named(found)}" if found else None


class Watch:
    """Looks now and then whom a connection waits for, from a second one that it makes when it first looks."""

    def __init__(self, own: psycopg.Connection[Any], conninfo: str, seconds: float) -> None:
        self._pid, self._conninfo, self._seconds = own.info.backend_pid, conninfo, seconds
        self._found: Sequence[Session] = ()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()

    def sentence(self) -> str:
        """What happened to a statement that had waited too long."""
        by = f" held by {_named(self._found)}" if self._found else ", whose holder has ended since: try again"
        return f"a statement gave up after {self._seconds:g} s of waiting for a lock in the shop's database{by}"

    def _look(self) -> None:
        if self._is_over.wait(self._seconds / LOOKS):
            return
        try:
            with psycopg.connect(self._conninfo, autocommit=True) as own:
                while not self._is_over.is_set():
                    rows = own.execute(_BLOCKING.format("pid = %s"), [self._pid]).fetchall()
                    if rows:
                        self._found = [Session(*row) for row in rows]
                    self._is_over.wait(self._seconds / LOOKS)
        except psycopg.Error:
            # The one that is watched meets the same, and tells it.
            return


def _named(found: Sequence[Session]) -> str:
    one = found[0]
    way = f"SELECT pg_terminate_backend({one.pid})" if one.pid else "ROLLBACK PREPARED"
    more = f" (and {len(found) - 1} more)" if found[1:] else ""
    return f"{one}{more}. Let it commit, or end it: {way}"
