"""A past day's transactions, written today: each has the time at which the simulated shop made it.

Data flow: times of past events -> a replication origin -> the commits' times in the database's log -> Debezium's source.ts_ms
Run: daybreak shop --days 1
Source: PostgreSQL manual, "Replication Progress Tracking" (pg_replication_origin_xact_setup).

The commit dates a change, and nothing that stands in a row. A session that replays what was committed elsewhere says so to
Postgres, with the time of that commit; only a superuser may, or to whom one grants it. So nobody else dates a change.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from psycopg.errors import InsufficientPrivilege

from infra.failures import PermanentFailure
from infra.shop.db.connection import Connection

SHOP, ORDERS = "daybreak_shop", "daybreak_orders"
"""The origins: of the shop's own transactions, and of the follower's that writes the rows of orders."""
REPLAYED = 0x64617962
"""The advisory lock that is held while the past is written."""
Dated = Callable[[datetime], None]
"""Called inside of a transaction, with its time."""
FUNCTIONS = tuple(
    f"pg_replication_origin_{one}" for one in ("oid", "create", "session_setup", "session_reset", "xact_setup")
)
"""What one must be allowed to call who writes the past."""


@contextmanager
def replayed(own: Connection) -> Iterator[Dated]:
    """The session writes the past until the end of the block.

    Raises PermanentFailure if another session does, or if the user may not.
    """
    if own.execute("SELECT pg_try_advisory_lock(%s)", [REPLAYED]).fetchone() != (True,):
        raise PermanentFailure(
            "another `daybreak shop` is writing past days into the shop's database: wait for it, or send no past: --days 0"
        )
    try:
        with _origin(own, SHOP) as dated:
            yield dated
    finally:
        if not own.closed:
            own.execute("SELECT pg_advisory_unlock(%s)", [REPLAYED])


@contextmanager
def followed(own: Connection) -> Iterator[Dated]:
    """For who applies the shop's events to the database: while the past is written, what comes of it is of its time; else the
    commit says when it is."""
    # In autocommit the lock is given back at once.
    if own.execute("SELECT pg_try_advisory_xact_lock(%s)", [REPLAYED]).fetchone() == (True,):
        yield lambda at: None
        return
    with _origin(own, ORDERS) as dated:
        yield dated


@contextmanager
def _origin(own: Connection, name: str) -> Iterator[Dated]:
    try:
        if own.execute("SELECT pg_replication_origin_oid(%s)", [name]).fetchone() == (None,):
            own.execute("SELECT pg_replication_origin_create(%s)", [name])
        own.execute("SELECT pg_replication_origin_session_setup(%s)", [name])
    except InsufficientPrivilege as failure:
        functions = ", ".join(FUNCTIONS)
        raise PermanentFailure(
            f"the user {own.info.user} of the shop's database may not say when a past transaction was committed: let a superuser "
            f'run `GRANT EXECUTE ON FUNCTION {functions} TO "{own.info.user}"`, or send no past: --days 0'
        ) from failure

    def dated(at: datetime) -> None:
        own.execute("SELECT pg_replication_origin_xact_setup('0/1', %s)", [at])

    try:
        yield dated
    finally:
        if not own.closed:
            own.execute("SELECT pg_replication_origin_session_reset()")
