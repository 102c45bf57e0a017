"""A table as its topic tells it: the snapshot and the changes behind it, folded to the last row of each key.

Data flow: topic `shop.public.<table>` -> changes in the order of the database's log -> rows by key
Run: daybreak shop-db check
Source: Debezium 3.7, "PostgreSQL connector": change event values (before, after, op, source.lsn).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from infra.capture.envelope import READ, envelope
from infra.capture.limits import is_cut
from infra.capture.placeholder import is_whole
from infra.kafka.read_committed import committed, partitions
from infra.shop.db.connector import topic
from infra.shop.db.tables import KEYS

Row = Mapping[str, Any]
Key = tuple[str, ...]


class Change(NamedTuple):
    """One change: its place in the database's log (LSN as a number), what it did, and the row before and after.

    `after` is None for a deletion, and for a row that was cut because it is too large: it is not told. `transaction`: the last 32
    bits of the id of the transaction that made it; None if the record does not tell.
    """

    lsn: int
    op: str
    key: Key
    before: Row | None
    after: Row | None
    transaction: int | None = None


@dataclass(frozen=True)
class Moment:
    """As of when rows were read: behind the changes in front of an LSN, but for `unseen` ones (their LSNs), whose transactions
    had not ended."""

    lsn: int
    unseen: frozenset[int] = frozenset()

    def has(self, lsn: int) -> bool:
        """Was the change at this LSN there?"""
        return lsn < self.lsn and lsn not in self.unseen


def changes(table: str) -> Iterator[Change]:
    """The table's changes of committed Kafka transactions, in the order of each partition; none before its first one.

    Raises TransientFailure if Kafka does not answer.
    """
    # Connect makes a table's topic with the first change.
    for message in committed(topic(table)) if partitions(topic(table)) else ():
        if found := read(table, message.value()):
            yield found


def read(table: str, value: bytes | None) -> Change | None:
    """The change in a record's value; None for a value that is none, because anyone may write to a topic, and for a change that
    lacks a value of the row. The stream quarantines both."""
    try:
        found = change(table, envelope(value or b""))
        return found if is_whole(found.after) else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def change(table: str, value: Mapping[str, Any]) -> Change:
    """A change from its event's value."""
    before, after, source = value.get("before"), value.get("after"), value["source"]
    by = source.get("txId")
    key = _key(table, after or before or {})
    if after and is_cut(after):
        after = None
    return Change(source["lsn"], value["op"], key, before, after, by if isinstance(by, int) else None)


def _key(table: str, row: Row) -> Key:
    return tuple(str(row.get(column)) for column in KEYS[table])


def folded(found: Iterable[Change], at: Moment | None = None) -> dict[Key, Row]:
    """The rows that these changes leave; with `at`, as of this moment.

    Of a key the change with the largest LSN counts, in whatever order they come. A new key is a deletion and a creation.
    A snapshot has every row that there was: a row whose last change is older was deleted while nobody read the log.
    """
    last: dict[Key, Change] = {}
    snapshot = 0
    for one in found:
        if at is not None and not at.has(one.lsn):
            continue
        if one.key not in last or last[one.key].lsn <= one.lsn:
            last[one.key] = one
        if one.op == READ:
            snapshot = max(snapshot, one.lsn)
    return {key: one.after for key, one in last.items() if one.after is not None and one.lsn >= snapshot}
