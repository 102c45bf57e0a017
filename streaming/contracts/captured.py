"""How changes of a database's table become events of a contract (encoding `debezium`).

Data flow: Captured of a contract -> streaming.encodings.debezium
Run: pytest tests/streaming/test_debezium.py
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from infra.field_types import check_fields


@dataclass(frozen=True)
class Captured:
    """A table whose changes are a topic's events.

    `key`: its primary key, in the table's order. `types`: what the event is called whose row was read by a snapshot or created
    (`c`), updated (`u`), deleted (`d`). `again`: the command that captures the table anew, `check`: the one that compares its
    copies, if there is one; both are told with a problem, and change no version of the contract.

    The commit dates a change, and the snapshot the rows that it read. A column in which the application writes when it changed a
    row is data like any other: a change by hand does not touch it.
    """

    key: tuple[str, ...]
    types: Mapping[str, str]
    again: str = field(default="capture the table anew", repr=False)
    check: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        check_fields(self, "Captured")
