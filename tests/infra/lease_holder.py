"""A writer of its own process: it takes a lease and writes what it is told, so that a test can stop it anywhere.

Data flow: lines on standard input (`append 3`, `replace 3`) -> a table in a folder; `written` or why not on standard output
Run: python tests/infra/lease_holder.py <postgres> <lake> stops
"""

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
from pyspark.sql.types import DateType, LongType, StructField, StructType

from infra.failures import TransientFailure
from infra.lake import lease, tables, writes
from infra.lake.tables import Table

NAME = "stream"
TABLE = Table("silver", "leased", StructType([StructField("day", DateType()), StructField("value", LongType())]))
DAY = date(2026, 1, 5)


def rows(value: int) -> pa.Table:
    return pa.table({"day": pa.array([DAY], pa.date32()), "value": pa.array([value], pa.int64())})


def write(how: str, value: int, writer: str) -> None:
    if how == "append":
        writes.append_once(rows(value), TABLE, writer, value)
    else:
        writes.replace_days(rows(value), TABLE, [DAY])


def of(postgres: str, lake: str) -> Callable[[], Any]:
    """Settings of these alone, for leases and tables."""
    lease.conninfo = lambda *_: postgres  # type: ignore[attr-defined]
    return lambda: SimpleNamespace(bucket="lake", lake=f"file:{lake}", home=Path(lake))


def say(text: str) -> None:
    print(text, flush=True)


def main(postgres: str, lake: str, stops: bool) -> None:
    lease.settings = tables.settings = of(postgres, lake)  # type: ignore[attr-defined,assignment]
    ask = writes.still_held

    def asked() -> list[str]:
        found = ask()
        say("asked")
        sys.stdin.readline()
        return found

    with lease.Lease(NAME):
        say("holds")
        if stops:
            writes.still_held = asked  # type: ignore[attr-defined]
        for line in sys.stdin:
            how, value = line.split()
            try:
                write(how, int(value), "first")
                say("written")
            except TransientFailure as failure:
                say(" ".join(str(failure).split()))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "stops" in sys.argv[3:])
