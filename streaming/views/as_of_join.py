"""As-of joins: each row with the other row of its key that is next to it in time, at the cost of a sort.

Data flow: rows, and others of the same keys -> both in one order of time per key -> each row with its next other
Run: pytest tests/streaming/test_as_of_join.py
Source: `aj` of kdb+, `merge_asof` of pandas, ASOF JOIN of DuckDB.

Spark has none. A join on a key with a condition on times makes it look at every pair of the key: 16 million, if 4,000 events of
two topics have one key. Here the rows of a key are sorted together, and gone over once. So a window begins with the
first row of the key. Spark adds up any other window anew for each row: those are of a few rows (`next_ones`).
"""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

TIME = "at"
"""The first field of the others: their time."""
_AT, _ROW = "_at", "_row"


def first_from(rows: DataFrame, at: str, others: DataFrame, name: str, *key: str) -> DataFrame:
    """The rows, each with `name`: the least of the others (a struct) of its key at or after the row's time `at`; null if none.

    `others` has the columns of `key`, and the struct `name`, whose first field is its TIME.
    """
    from_last = Window.partitionBy(*key).orderBy(F.col(_AT).desc())
    return _each(rows, at, others, name, key, F.min(name).over(_so_far(from_last)))


def last_up_to(rows: DataFrame, at: str, others: DataFrame, name: str, *key: str) -> DataFrame:
    """The rows, each with `name`: the greatest of the others (a struct) of its key at or before the row's time; null if none."""
    from_first = Window.partitionBy(*key).orderBy(_AT)
    return _each(rows, at, others, name, key, F.max(name).over(_so_far(from_first)))


def next_ones(one: Column, most: int, order: tuple[str, ...], *key: str) -> Column:
    """Over rows in an order that tells them apart: the value of the row and of those behind it, `most` in all, as an array."""
    window = Window.partitionBy(*key).orderBy(*order)
    return F.collect_list(one).over(window.rowsBetween(Window.currentRow, most - 1))


def _each(rows: DataFrame, at: str, others: DataFrame, name: str, key: tuple[str, ...], found: Column) -> DataFrame:
    mine = rows.withColumns({_AT: F.col(at), _ROW: F.lit(True)})
    theirs = others.select(*key, F.col(name)[TIME].alias(_AT), name)
    both = mine.unionByName(theirs, allowMissingColumns=True)
    return both.withColumn(name, found).where(F.col(_ROW)).drop(_AT, _ROW)


def _so_far(window: WindowSpec) -> WindowSpec:
    """Up to the row, and all others of its time."""
    return window.rangeBetween(Window.unboundedPreceding, Window.currentRow)
