"""What a migration of theirs changed at the captured tables, and their changes alone do not tell.

Data flow: Postgres's catalog, the columns that are expected -> Problem per table or column
Run: daybreak status --problems

A column that is renamed or dropped is null in every change from then on, as if its values had been removed.
"""

from collections.abc import Collection, Mapping

from infra.problems import Problem
from infra.settings import Settings
from infra.shop.db.connection import connected
from infra.shop.db.tables import lacks_texts, not_full

_COLUMNS = """
SELECT relname, array_agg(attname::text ORDER BY attnum) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped AND relname = ANY(%s) GROUP BY relname"""


def migrated(s: Settings, expected: Mapping[str, Collection[str]]) -> list[Problem]:
    """Problems of the tables, by their `expected` columns. One that is gone itself is told by the capture, which fails.

    Raises TransientFailure if the database does not answer.
    """
    with connected(s) as own:
        there = {table: [*columns] for table, columns in own.execute(_COLUMNS, [[*expected]])}
    absent = [
        _absent(table, column, [one for one in columns if one not in expected[table]])
        for table, columns in sorted(there.items())
        for column in expected[table]
        if column not in columns
    ]
    return [*absent, *(_not_full(table) for table in not_full(s))]


def _absent(table: str, column: str, more: list[str]) -> Problem:
    others = f" (columns that nobody captures: {', '.join(more)})" if more else ""
    return Problem(
        f"capture.column/{table}.{column}",
        f"public.{table} of the shop's database has no column {column}{others}: it is null in each row that has changed since",
        f"if it was renamed, rename it back: ALTER TABLE {table} RENAME COLUMN ... TO {column}, and update the rows that were "
        "changed meanwhile; if it was dropped, take it out of streaming/shop/contracts/shop_db.py",
    )


def _not_full(table: str) -> Problem:
    return Problem(
        f"capture.identity/{table}",
        lacks_texts(table),
        "daybreak restart connect, which sets it",
    )
