"""Drill-down from a mark of a chart: its sentence, and the query for its rows.

Data flow: a table of the lake and conditions -> SQL for the gateway
Run: daybreak query "SELECT ..."
"""

from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True)
class Behind:
    """A mark's text for tooltip and screen reader, the query for its rows, and the day of the night that it links to."""

    say: str
    sql: str
    night: date | None = None


def select(columns: str, table: str, *conditions: str, order: str = "") -> str:
    """One statement, a clause per line, so that it can be read before it is pasted."""
    where = "\n  AND ".join(conditions)
    parts = [
        f"SELECT {columns}",
        f"FROM {table}",
        f"WHERE {where}" if where else "",
        f"ORDER BY {order}" if order else "",
    ]
    return "\n".join(part for part in parts if part) + ";"


def quoted(value: str | date | datetime) -> str:
    """A literal of Spark's SQL."""
    if isinstance(value, datetime):
        return f"TIMESTAMP'{value:%Y-%m-%d %H:%M:%S}'"
    if isinstance(value, date):
        return f"DATE'{value}'"
    doubled = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{doubled}'"


def of_day(day: date, view: str | None = None) -> tuple[str, ...]:
    """The conditions that name a day, and a view of it."""
    return (f"day = {quoted(day)}", *([f"view = {quoted(view)}"] if view else []))
