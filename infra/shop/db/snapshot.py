"""A new snapshot, where changes were lost: the slot was given up, or the database was restored from a backup.

Data flow: connector without its place -> snapshot -> rows that only the log has -> a deletion of each
Run: daybreak shop-db snapshot

A snapshot tells of the rows that are there. What was deleted while nobody read the log is told by no one, and every copy would
keep it for ever; so after the snapshot a deletion of each such row is sent, marked as ours in its `source`.
"""

import json
import time

from infra.capture.envelope import DELETED
from infra.failures import TransientFailure
from infra.kafka.send import Sender
from infra.settings import Settings
from infra.shop.db import connector, slot
from infra.shop.db.changes import Change, Key, Moment, changes
from infra.shop.db.reading import arrived, rows_now
from infra.shop.db.tables import COMPARED, KEYS

TRIES = 5
BY = "deleted while the log was not captured"


def again(s: Settings) -> int:
    """Take a new snapshot; returns how many rows were found to be deleted. Raises TransientFailure if it takes too long."""
    connector.stop(s)
    slot.drop(s)
    connector.begin_anew(s)
    for _ in range(TRIES):
        reading = rows_now(s)
        try:
            at = arrived(s, reading)
        except TransientFailure:
            # The snapshot itself has brought the mark.
            continue
        break
    else:
        raise TransientFailure("the new snapshot has not ended: compare later with `daybreak shop-db check`")
    lost = [
        (table, one)
        for table in COMPARED
        for one in _last(table, at).values()
        if one.op != DELETED and one.key not in reading.rows[table]
    ]
    with Sender([connector.topic(table) for table in COMPARED], None) as sender:
        for table, one in lost:
            sender.send(connector.topic(table), *_deletion(table, one), None, kind="deleted")
    if sender.rejected:
        raise TransientFailure(
            f"Kafka did not take all deletions: {dict(sender.rejected)}. Again: daybreak shop-db snapshot"
        )
    return len(lost)


def _last(table: str, at: Moment) -> dict[Key, Change]:
    """The last change of each key as of a moment."""
    found = sorted((one for one in changes(table) if at.has(one.lsn)), key=lambda one: one.lsn)
    return {one.key: one for one in found}


def _deletion(table: str, last: Change) -> tuple[bytes, bytes]:
    """Key and value of a change event, as Debezium writes them.

    Its position is just behind the row's last change: a transaction that is still open may make the row again, and what it
    writes must count. No change of the database has this LSN, they are multiples of eight.
    """
    row = dict(zip(KEYS[table], last.key, strict=True))
    key = json.dumps(row, separators=(",", ":"), ensure_ascii=False)
    source = {"lsn": last.lsn + 1, "ts_ms": time.time_ns() // 1_000_000, "table": table, "daybreak": BY}
    return key.encode(), json.dumps({"before": row, "after": None, "op": DELETED, "source": source}).encode()
