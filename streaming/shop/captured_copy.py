"""A captured table as a layer of the lake tells it: the last change of each key among its events.

Data flow: events of a topic of encoding `debezium` in silver or truth -> rows by key
Run: daybreak shop-db check
"""

import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from infra.capture.envelope import CREATED, DELETED
from infra.failures import TransientFailure
from infra.lake.reader import ColumnMissing, read
from infra.settings import Settings
from infra.shop.db.changes import Change, Key, Moment, folded
from infra.shop.db.connector import topic
from infra.shop.db.reading import Rows
from streaming.contracts import CONTRACTS
from streaming.contracts.contract import Contract
from streaming.encodings.debezium import lsn_of
from streaming.monitor.catch_up import behind
from streaming.tables.silver import SILVER

STREAM_SECONDS = 300


def in_silver(s: Settings) -> Callable[[str, Moment], Rows]:
    """The stream's copy: (table, moment) -> its rows as of then, once the stream has read all that Kafka holds now."""

    def rows(table: str, at: Moment) -> Rows:
        _caught_up(s)
        contract = CONTRACTS[topic(table)]
        own = pc.field("topic") == contract.topic
        try:
            return copy(contract, read(s, SILVER.id, columns(contract), where=own), at)
        except ColumnMissing as failure:
            raise TransientFailure(f"the stream has not begun with {contract.topic}: {failure}") from failure

    return rows


def copy(contract: Contract, events: pa.Table, at: Moment | None = None) -> Rows:
    """The rows that events of the contract (columns of EVENT) leave; with `at`, as of this moment."""
    found = [_change(contract, row) for row in events.to_pylist()]
    return folded(sorted(found, key=lambda one: one.lsn), at)


def columns(contract: Contract) -> list[str]:
    """The columns of EVENT that `copy` needs."""
    return ["event_id", "event_type", contract.column]


def _change(contract: Contract, event: dict[str, Any]) -> Change:
    assert contract.captured is not None
    row: dict[str, Any] = event[contract.column]
    key: Key = tuple(str(row[name]) for name in contract.captured.key)
    is_deleted = event["event_type"] == contract.captured.types[DELETED]
    op = DELETED if is_deleted else CREATED
    return Change(lsn_of(event["event_id"]), op, key, None, None if is_deleted else row)


def _caught_up(s: Settings) -> None:
    give_up = time.monotonic() + STREAM_SECONDS
    while not (now := behind(s)).nothing:
        if time.monotonic() > give_up:
            raise TransientFailure(
                f"the stream has not caught up within {STREAM_SECONDS} s ({now}): see `daybreak lag`"
            )
        time.sleep(1)
