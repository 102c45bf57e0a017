"""Debezium's word for a value that the database's log does not have.

Data flow: row of a change -> is it whole?
Run: pytest tests/infra/test_shop_db.py
Source: Debezium 3.7, "PostgreSQL connector": TOASTed values, unavailable.value.placeholder.

Postgres leaves a long value that an update does not touch out of its log, unless the table's replica identity is FULL.
"""

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

PLACEHOLDER = "__debezium_unavailable_value"
_BYTES = PLACEHOLDER.encode()
# Of a text or a document; of bytes; of an array of texts, of bytes, or of numbers; of a map.
_WRITTEN = (
    PLACEHOLDER,
    b64encode(_BYTES).decode(),
    [PLACEHOLDER],
    [b64encode(_BYTES).decode()],
    [*_BYTES],
    {PLACEHOLDER: PLACEHOLDER},
)


def is_whole(row: Mapping[str, Any] | None) -> bool:
    """Has the row all its values? Where one is unavailable, nobody can tell what the row is."""
    return not any(value in _WRITTEN for value in (row or {}).values())
