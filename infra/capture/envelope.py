"""The envelope of a change event, read strictly: anyone may write to a topic, and stream, followers and checks must agree.

Data flow: record value -> change (strict JSON), with the row that it is about
Run: pytest tests/streaming/test_debezium.py
Source: Debezium 3.7, "PostgreSQL connector": change event values (before, after, op, source.lsn).
"""

from collections.abc import Mapping
from typing import Any

from infra.strict_json import decoded, whole

READ, CREATED, UPDATED, DELETED = "r", "c", "u", "d"


def envelope(value: bytes) -> Mapping[str, Any]:
    """A change of a row. Raises ValueError, TypeError, KeyError or RecursionError where it is none."""
    found = decoded(value)
    if found["op"] not in (READ, CREATED, UPDATED, DELETED):
        raise ValueError("no change of a row")
    rows = [found.get(name) for name in ("before", "after")]
    if not all(row is None or isinstance(row, dict) for row in rows) or row_of(found) is None:
        raise ValueError("it has no row")
    whole(found["source"], "lsn", 0)
    whole(found["source"], "ts_ms")
    return dict(found)


def row_of(change: Mapping[str, Any]) -> Any:
    """The row of an envelope: of a deletion the one before it, else the one after it."""
    return change.get("before" if change["op"] == DELETED else "after")
