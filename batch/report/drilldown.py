"""Drill-down from a mark of a chart: its sentence, and the query for its rows.

Data flow: a table of the lake and conditions -> SQL for the gateway
Run: daybreak query "SELECT ..."
"""

from dataclasses import dataclass
from datetime import date, datetime

from batch.reconciliation.differences import DIFFERENCES

QUOTE_IN_QUOTES = r"'\''"
"""What stands for a quote between the quotes of a shell."""


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


def differing(day: date, view: str, columns: str, *conditions: str) -> str:
    """The rows of a view that differ on a day, each with the command line that explains it."""
    return select(f"{columns}, {explained(view, day)}", DIFFERENCES.sql, *of_day(day, view), *conditions, order="key")


def explained(view: str, day: date) -> str:
    """Over a row's `key`: the command line that explains the row, with the key in a shell's quotes, as column `command`."""
    quote, inside = quoted("'"), quoted(QUOTE_IN_QUOTES)
    start, end = quoted(f"daybreak explain {view} '"), quoted(f"' --day {day}")
    return f"concat({start}, replace(key, {quote}, {inside}), {end}) AS command"
