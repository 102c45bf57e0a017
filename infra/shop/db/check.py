"""Is the log's copy the database? Every table is compared, row by row, as of one position of the database's log.

Data flow: rows of the tables at a moment -> rows of the copy at the same moment -> differences by key
Run: daybreak shop-db check
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from infra.capture.limits import is_cut
from infra.failures import PermanentFailure
from infra.settings import Settings
from infra.shop.db.changes import Key, Moment, Row, changes, folded
from infra.shop.db.condition import broken
from infra.shop.db.reading import MARK_SECONDS, Rows, arrived, rows_now
from infra.shop.db.tables import COMPARED
from infra.shop.db.values import plain


@dataclass(frozen=True)
class Comparison:
    """One table in the database and in a copy: rows of each, a hash of all of each, keys that differ, the first of them.

    `older`: rows of the copy that lack a column, because it was added after their last change. `aside`: keys of rows that are too
    large to be captured, and that the copy does not have; they differ only if it has them.
    """

    table: str
    copy: str
    rows: int
    copied: int
    hashes: tuple[str, str]
    differing: int
    first: str | None
    older: int
    aside: tuple[str, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Has the copy the same rows?"""
        return not self.differing


def check(s: Settings, copies: Mapping[str, Callable[[str, Moment], Rows | None]]) -> list[Comparison]:
    """Compare each table with each copy: (table, moment) -> its rows as of then, with some or all columns; None for a table that
    the copy does not follow.

    Raises PermanentFailure if a table or the slot is gone, TransientFailure if the connector does not bring the mark in time.
    """
    if wrong := broken(s, MARK_SECONDS):
        raise PermanentFailure(wrong)
    reading = rows_now(s)
    at = arrived(s, reading)
    told = [(table, name, rows(table, at)) for table in COMPARED for name, rows in copies.items()]
    return [compared(table, name, reading.rows[table], rows) for table, name, rows in told if rows is not None]


def in_the_log(table: str, at: Moment) -> Rows:
    """The copy in Kafka."""
    return folded(changes(table), at)


def compared(table: str, copy: str, there: Rows, told: Rows) -> Comparison:
    """Compare rows by key, as text, by the columns that both have: a row of the copy lacks those that were added since its last
    change, and keeps those that were dropped."""
    names = set().union(*there.values())
    known = set().union(*told.values())
    theirs = {key: {name: row[name] for name in row if name in names or not names} for key, row in told.items()}
    mine = {key: {name: row[name] for name in row if name in theirs.get(key, known)} for key, row in there.items()}
    one, other = ({key: written(row) for key, row in rows.items()} for rows in (mine, theirs))
    aside = sorted(key for key, row in there.items() if key not in told and is_cut(row))
    differing = sorted(key for key in {*one, *other}.difference(aside) if one.get(key) != other.get(key))
    first = _difference(differing[0], one, other) if differing else None
    older = sum(not known.intersection(names) <= row.keys() for row in theirs.values())
    return Comparison(
        table, copy, len(one), len(other), (_hash(one), _hash(other)), len(differing), first, older, _named(aside)
    )


def written(row: Row) -> str:
    """A row as text that does not depend on where it was read: times in UTC, decimals with their places."""
    return json.dumps({name: plain(value) for name, value in sorted(row.items())}, ensure_ascii=False)


def _hash(rows: Mapping[Key, str]) -> str:
    total = hashlib.sha256()
    for key in sorted(rows):
        total.update(rows[key].encode())
    return total.hexdigest()[:12]


def _named(keys: Iterable[Key]) -> tuple[str, ...]:
    return tuple(", ".join(key) for key in keys)


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
