"""How changes of a database's table become events of a contract (encoding `debezium`).

Data flow: Captured of a contract -> streaming.debezium
Run: pytest tests/streaming/test_debezium.py
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Captured:
    """A table whose changes are a topic's events.

    `key`: its primary key, in the table's order. `types`: what the event is called whose row was read by a snapshot or created
    (`c`), updated (`u`), deleted (`d`). `time`: the column that says when the row was changed, a timestamptz; None: the time of
    the commit. A snapshot's rows have the time of the snapshot. A deletion has that of the commit, or of the row, if the
    application sets `time` before it deletes, in the same transaction (`stamps_deletions`).
    """

    key: tuple[str, ...]
    types: Mapping[str, str]
    time: str | None = None
    stamps_deletions: bool = False
