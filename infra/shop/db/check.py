"""Is the log's copy the database? Every table is compared, row by row, as of one position of the database's log.

Data flow: rows of a table under a lock, a mark behind them -> rows of the topic in front of the mark -> differences by key
Run: daybreak shop-db check
Source: the watermarks of DBLog (Netflix), which tie a query to a position of the log by rows written around it.

The lock lets readers work and holds writers up while the rows are read: nothing that the mark follows is missing from them.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from psycopg import sql

from infra.failures import PermanentFailure, TransientFailure
from infra.settings import Settings
from infra.shop.db.changes import READ, Key, Row, changes, folded
from infra.shop.db.condition import broken
from infra.shop.db.connection import connected
from infra.shop.db.tables import COMPARED, KEYS
from infra.shop.db.values import SETTINGS, in_its_unit, plain, read_as_captured

MARK_SECONDS = 120
"""Longest wait until Connect answers, and until the connector has brought the mark."""
Rows = Mapping[Key, Row]


@dataclass(frozen=True)
class Comparison:
    """One table in the database and in a copy: rows of each, a hash of all of each, keys that differ, the first of them.

    `older`: rows of the copy that lack a column, because it was added after their last change.
    """

    table: str
    copy: str
    rows: int
    copied: int
    hashes: tuple[str, str]
    differing: int
    first: str | None
    older: int

    @property
    def is_equal(self) -> bool:
        """Has the copy the same rows?"""
        return not self.differing


def check(s: Settings, copies: Mapping[str, Callable[[str, int], Rows | None]]) -> list[Comparison]:
    """Compare each table with each copy: (table, LSN of the mark) -> its rows as of the mark, with some or all columns; None for
    a table that the copy does not follow.

    Raises PermanentFailure if a table or the slot is gone, TransientFailure if the connector does not bring the mark in time.
    """
    if wrong := broken(s, MARK_SECONDS):
        raise PermanentFailure(wrong)
    there, mark = under_a_lock(s)
    lsn = arrived(mark)
    told = [(table, name, rows(table, lsn)) for table in COMPARED for name, rows in copies.items()]
    return [compared(table, name, there[table], rows) for table, name, rows in told if rows is not None]


def in_the_log(table: str, lsn: int) -> Rows:
    """The copy in Kafka."""
    return folded(changes(table), before=lsn)


def compared(table: str, copy: str, there: Rows, told: Rows) -> Comparison:
    """Compare rows by key, as text, by the columns that both have: a row of the copy lacks those that were added since its last
    change, and keeps those that were dropped."""
    names = set().union(*there.values())
    known = set().union(*told.values())
    theirs = {key: {name: row[name] for name in row if name in names or not names} for key, row in told.items()}
    mine = {key: {name: row[name] for name in row if name in theirs.get(key, known)} for key, row in there.items()}
    one, other = ({key: written(row) for key, row in rows.items()} for rows in (mine, theirs))
    differing = sorted(key for key in {*one, *other} if one.get(key) != other.get(key))
    first = _difference(differing[0], one, other) if differing else None
    older = sum(not known.intersection(names) <= row.keys() for row in theirs.values())
    return Comparison(table, copy, len(one), len(other), (_hash(one), _hash(other)), len(differing), first, older)


def written(row: Row) -> str:
    """A row as text that does not depend on where it was read: times in UTC, decimals with their places."""
    return json.dumps({name: plain(value) for name, value in sorted(row.items())}, ensure_ascii=False)


def _hash(rows: Mapping[Key, str]) -> str:
    total = hashlib.sha256()
    for key in sorted(rows):
        total.update(rows[key].encode())
    return total.hexdigest()[:12]


def _difference(key: Key, mine: Mapping[Key, str], theirs: Mapping[Key, str]) -> str:
    name = ", ".join(key)
    if key not in theirs:
        return f"{name} is missing from the copy"
    if key not in mine:
        return f"{name} is in the copy only"
    one, other = json.loads(mine[key]), json.loads(theirs[key])
    column = next(column for column in one | other if one.get(column) != other.get(column))
    return f"{name}: {column} is {_short(one.get(column))}, and {_short(other.get(column))} in the copy"


def _short(value: str | None, length: int = 60) -> str:
    text = "null" if value is None else value
    return text if len(text) <= length else f"{text[:length]}... ({len(text):,} characters)"


def under_a_lock(s: Settings, tables: Sequence[str] = COMPARED) -> tuple[dict[str, Rows], str]:
    """The rows of these tables, and the mark that was written behind the last change of them."""
    mark = f"check {uuid4()}"
    with connected(s, autocommit=False) as own, own.transaction():
        own.execute(SETTINGS)
        own.execute(sql.SQL("LOCK TABLE {} IN SHARE MODE").format(sql.SQL(", ").join(map(sql.Identifier, tables))))
        rows: dict[str, Rows] = {table: dict(_rows(own, table, KEYS[table])) for table in tables}
        own.execute("INSERT INTO marks (id, at) VALUES (%s, now())", [mark])
    return rows, mark


def _rows(own: Any, table: str, key: Sequence[str]) -> Iterator[tuple[Key, Row]]:
    # Read from the server in parts.
    with own.cursor(name="rows") as cursor:
        read_as_captured(cursor.adapters)
        cursor.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(table)))
        for values in cursor:
            row = {one.name: in_its_unit(value, one) for value, one in zip(values, cursor.description, strict=True)}
            yield tuple(str(row[column]) for column in key), row


def arrived(mark: str) -> int:
    """The position of the mark in the database's log, once its change is in Kafka: then all before it is there too."""
    give_up = time.monotonic() + MARK_SECONDS
    while time.monotonic() < give_up:
        for one in changes("marks"):
            if one.after and one.after["id"] == mark:
                if one.op == READ:
                    raise TransientFailure("the connector took a snapshot during the comparison: compare again")
                return one.lsn
        time.sleep(0.5)
    raise TransientFailure(
        f"the connector has not brought the mark of this comparison within {MARK_SECONDS} s: see `daybreak status` and "
        "`daybreak lag`"
    )
