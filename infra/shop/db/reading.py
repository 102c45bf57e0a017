"""All rows of the tables at one moment, and which captured changes that moment has; no writer waits for it.

Data flow: snapshot of a transaction -> rows, and a mark behind them; changes of the topics -> Moment
Run: daybreak shop-db check
Source: the watermarks of DBLog (Netflix), which tie a query to a position of the log by a row that is written; PostgreSQL
manual, pg_current_snapshot.

What a snapshot sees has been committed, so it stands in the log in front of the mark, and is in Kafka when the mark is. In front
of the mark are changes that the snapshot did not see as well: of transactions that were open, or began meanwhile. Postgres
says which these are, and each change says its transaction.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from psycopg import sql

from infra.capture.envelope import READ
from infra.failures import TransientFailure
from infra.settings import Settings
from infra.shop.db.changes import Change, Key, Moment, Row, changes
from infra.shop.db.connection import Connection, connected
from infra.shop.db.locks import held_up
from infra.shop.db.tables import COMPARED, KEYS, SLOT
from infra.shop.db.values import SETTINGS, in_its_unit, read_as_captured

MARK_SECONDS = 120
"""Longest wait until Connect answers, and until the connector has brought the mark."""
IDS = 1 << 32
"""The log has the last 32 bits of a transaction's id."""
Rows = Mapping[Key, Row]
_BEFORE = """
SELECT coalesce((SELECT restart_lsn FROM pg_replication_slots WHERE slot_name = %s), '0/0') - '0/0'::pg_lsn,
    pg_current_wal_insert_lsn() - '0/0'::pg_lsn"""


@dataclass(frozen=True)
class Reading:
    """Rows by table, read at one moment; `mark` was committed behind it.

    `began`: the end of the log before. `decided`: an LSN in front of every change of a transaction that was open. `upcoming`: the
    first transaction that had not begun. `running`: those that had, and had not ended.
    """

    rows: Mapping[str, Rows]
    mark: str
    began: int
    decided: int
    upcoming: int
    running: frozenset[int]

    def saw(self, one: Change) -> bool:
        """Was a change in front of the mark seen?"""
        # What the connector's snapshot read has the transaction of that snapshot, a deletion that we sent ourselves none.
        if one.op == READ or one.transaction is None or one.lsn < self.decided:
            return True
        own = one.transaction % IDS
        # Ids go round. Those of one slot's log are less than half of all, or Postgres stops.
        is_upcoming = (own - self.upcoming) % IDS < IDS // 2
        return not is_upcoming and own not in self.running


def rows_now(s: Settings, tables: Sequence[str] = COMPARED) -> Reading:
    """Read these tables. Raises TransientFailure if the database does not answer, or a table is locked."""
    mark = f"check {uuid4()}"
    with connected(s) as own:
        # Before the snapshot: what was open then is open now, or has ended and is seen.
        decided, began = (int(lsn) for lsn in own.execute(_BEFORE, [SLOT]).fetchone() or (0, 0))
        with own.transaction():
            own.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            own.execute(SETTINGS)
            (told,) = own.execute("SELECT pg_current_snapshot()::text").fetchone() or ("",)
            rows = {table: dict(_rows(own, table, KEYS[table])) for table in tables}
        own.execute("INSERT INTO marks (id, at) VALUES (%s, now())", [mark])
    _, upcoming, running = told.split(":")
    ids = frozenset(int(one) % IDS for one in running.split(",") if one)
    return Reading(rows, mark, began, decided, int(upcoming) % IDS, ids)


def _rows(own: Connection, table: str, key: Sequence[str]) -> Iterator[tuple[Key, Row]]:
    # Read from the server in parts.
    with own.cursor(name="rows") as cursor:
        read_as_captured(cursor.adapters)
        cursor.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table)))
        for values in cursor:
            columns = zip(values, cursor.description or (), strict=True)
            row = {one.name: in_its_unit(value, one) for value, one in columns}
            yield tuple(str(row[column]) for column in key), row


def arrived(s: Settings, reading: Reading) -> Moment:
    """The moment of the reading, once its mark is in Kafka: then all that it saw is there too.

    Raises TransientFailure if the connector does not bring it in time, or took a snapshot meanwhile.
    """
    give_up = time.monotonic() + MARK_SECONDS
    while time.monotonic() < give_up:
        for one in changes("marks"):
            if one.after and one.after["id"] == reading.mark:
                return moment(reading, one, {table: changes(table) for table in reading.rows})
        time.sleep(0.5)
    with connected(s) as own:
        why = held_up(own) or "see `daybreak status` and `daybreak lag`"
    raise TransientFailure(f"the connector has not brought the mark of this comparison within {MARK_SECONDS} s: {why}")


def moment(reading: Reading, mark: Change, captured: Mapping[str, Any]) -> Moment:
    """The moment, from the mark's change and the changes (an iterable by table)."""
    unseen = set[int]()
    for one in (mark, *(one for table in captured.values() for one in table)):
        if one.op == READ and reading.began <= one.lsn <= mark.lsn:
            raise TransientFailure("the connector took a snapshot during the comparison: compare again")
        if one.lsn < mark.lsn and not reading.saw(one):
            unseen.add(one.lsn)
    return Moment(mark.lsn, frozenset(unseen))
