"""Change events of Debezium as JSON text of a contract's event, so that one validation serves all encodings.

Data flow: record value (Debezium's envelope, JSON) -> JSON text, or the fault -> encodings
Run: pytest tests/streaming/test_debezium.py
Source: Debezium 3.7, "PostgreSQL connector": data change events.

The commit dates the event, of a snapshot's row the snapshot; columns of the row are data. The event's id begins with the change's
position in the database's log (LSN): the same change captured twice has the same id, and of two changes of one millisecond the
later one has the larger. Columns that the contract does not name are left out: a database adds columns when it likes, and bronze
has the whole change. A change that lacks a value of the row is refused: what the row is, nobody can tell.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from infra.capture.envelope import CREATED, DELETED, READ, envelope, row_of
from infra.capture.placeholder import is_whole
from streaming.contracts.captured import Captured
from streaming.contracts.contract import Contract
from streaming.reasons import Reason

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """What of a contract the decoder needs. Spark's workers get it with the plan: they may not know which options are on."""

    topic: str
    fields: tuple[str, ...]
    captured: Captured

    @classmethod
    def of(cls, contract: Contract) -> "Table":
        """Raises ValueError for a contract that does not say how its table is captured."""
        if contract.captured is None:
            raise ValueError(f"contract {contract.topic}: the encoding debezium needs `captured`")
        return cls(contract.topic, tuple(contract.payload.fieldNames()), contract.captured)


def decode(table: Table, value: bytes) -> tuple[str | None, str | None]:
    """A change of the table as JSON text; an empty value is empty text. Never raises."""
    if not value:
        return "", None
    try:
        change = envelope(value)
        if change["op"] != DELETED and not is_whole(row_of(change)):
            return None, Reason.UNAVAILABLE_VALUE.value
        event = _event(table, change)
        text = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
        return None, Reason.NOT_A_CHANGE.value
    # No text of a database has a lone surrogate, but anyone may write to the topic; the contract rejects the escaped one.
    return text if _is_utf8(text) else json.dumps(event, separators=(",", ":")), None


def _event(table: Table, change: Mapping[str, Any]) -> dict[str, Any]:
    """Raises one of the errors that `decode` names if it is no change of a row."""
    op, source, row = change["op"], change["source"], row_of(change)
    lsn, committed = source["lsn"], source["ts_ms"]
    names = table.captured.key if op == DELETED else table.fields
    payload = {name: row[name] for name in names if row.get(name) is not None}
    return {
        "event_id": event_id(lsn, [table.topic, op, change.get("before"), change.get("after")]),
        "event_type": table.captured.types[CREATED if op == READ else op],
        "event_time": committed,
        "schema_version": 1,
        **payload,
    }


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def event_id(lsn: int, change: Any) -> str:
    """The LSN and a hash of the change, written as a UUID. One LSN may have several changes: rows that were inserted together."""
    digest = hashlib.sha256(json.dumps(change, sort_keys=True).encode()).hexdigest()
    h = f"{lsn:016x}{digest[:16]}"
    return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"


def lsn_of(event_id: str) -> int:
    """The LSN in an event's id."""
    return int(event_id.replace("-", "")[:16], 16)
