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
    the commit. A snapshot's rows and deleted rows have the time of the snapshot and of the commit.
    """

    key: tuple[str, ...]
    types: Mapping[str, str]
    time: str | None = None
