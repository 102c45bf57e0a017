"""Which tables a piece of work reads and writes, told by the functions through which all of it goes.

Data flow: spark_tables, arrow_tables, writes -> Access -> whoever asked, e.g. lineage
Run: pytest tests/batch/test_killed.py

A list that somebody keeps by hand would be wrong after the next change of a step.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from infra.lake.tables import Table


@dataclass
class Access:
    """Tables by id, in the order in which they were first read or written."""

    read: dict[str, Table] = field(default_factory=dict)
    written: dict[str, Table] = field(default_factory=dict)


_open: list[Access] = []
"""Whoever asks now. A process does one piece of work at a time, perhaps in several threads."""


@contextmanager
def watched() -> Iterator[Access]:
    """What is read and written until the end of this block."""
    found = Access()
    _open.append(found)
    try:
        yield found
    finally:
        _open.remove(found)


def reads(table: Table) -> None:
    """This table is read, or will be once a frame is evaluated."""
    for one in _open:
        one.read.setdefault(table.id, table)


def writes(table: Table) -> None:
    """This table is written."""
    for one in _open:
        one.written.setdefault(table.id, table)
