"""A new snapshot, where changes were lost: the slot was given up, or the database was restored from a backup.

Data flow: connector without its place -> snapshot -> rows that only the log has -> a deletion of each
Run: daybreak shop-db snapshot

A snapshot tells of the rows that are there. What was deleted while nobody read the log is told by no one, and every copy would
keep it for ever; so after the snapshot a deletion of each such row is sent, marked as ours in its `source`.
"""

import json
import time

from infra.failures import TransientFailure
from infra.kafka.send import Sender
from infra.settings import Settings
from infra.shop.db import connector, slot
from infra.shop.db.changes import DELETED, Change, Key, changes
from infra.shop.db.check import arrived, under_a_lock
from infra.shop.db.tables import COMPARED, KEYS

TRIES = 5
BY = "deleted while the log was not captured"


def again(s: Settings) -> int:
    """Take a new snapshot; returns how many rows were found to be deleted. Raises TransientFailure if it takes too long."""
    connector.stop(s)
    slot.drop(s)
    connector.begin_anew(s)
    for _ in range(TRIES):
        there, mark = under_a_lock(s)
        try:
            lsn = arrived(mark)
        except TransientFailure:
            # The snapshot itself has brought the mark.
            continue
        break
    else:
        raise TransientFailure("the new snapshot has not ended: compare later with `daybreak shop-db check`")
    lost = [
        (table, one)
        for table in COMPARED
        for one in _last(table, lsn).values()
        if one.after and one.key not in there[table]
    ]
    with Sender([connector.topic(table) for table in COMPARED], None) as sender:
        for table, one in lost:
            sender.send(connector.topic(table), *_deletion(table, one, lsn), None, kind="deleted")
    return len(lost)


def _last(table: str, lsn: int) -> dict[Key, Change]:
    """The last change of each key in front of an LSN."""
    found = sorted((one for one in changes(table) if one.lsn < lsn), key=lambda one: one.lsn)
    return {one.key: one for one in found}


def _deletion(table: str, last: Change, lsn: int) -> tuple[bytes, bytes]:
    """Key and value of a change event, as Debezium writes them."""
    row = last.after or {}
    key = json.dumps({name: row[name] for name in KEYS[table]}, separators=(",", ":"), ensure_ascii=False)
    source = {"lsn": lsn, "ts_ms": time.time_ns() // 1_000_000, "table": table, "daybreak": BY}
    return key.encode(), json.dumps({"before": row, "after": None, "op": DELETED, "source": source}).encode()
