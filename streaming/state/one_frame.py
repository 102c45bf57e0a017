"""Several frames as one, and apart again: so that one Spark job gives the rows of all views.

Data flow: frames by what their rows are -> one frame -> an Arrow table -> a table of each
Run: pytest tests/streaming/test_one_frame.py

Columns of one type are shared. With columns of its own for each frame most of a row was nulls, some hundred of all views: in
Spark's row, in Arrow and in Python.
"""

from collections import Counter
from collections.abc import Mapping
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

WHAT = "what"
"""The column of what a row is."""
Places = Mapping[str, Mapping[str, str]]
"""By what a row is: the names of its columns, each with the shared column that it is in."""


def together(frames: Mapping[str, DataFrame]) -> tuple[DataFrame, Places]:
    """The rows of all frames, each beside what it is; and where each frame's columns are."""
    of = {what: _places(rows) for what, rows in frames.items()}
    found = [
        rows.select(F.lit(what).alias(WHAT), *(F.col(name).alias(place) for name, place in of[what].items()))
        for what, rows in frames.items()
    ]
    return reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), found).coalesce(1), of


def apart(found: pa.Table, what: str, of: Places) -> pa.Table:
    """The rows of one frame again, under their own names."""
    own = found.filter(pc.equal(found[WHAT], what)).select(list(of[what].values()))
    return own.rename_columns(list(of[what]))


def _places(rows: DataFrame) -> dict[str, str]:
    seen: Counter[str] = Counter()
    found = {}
    for name, form in rows.dtypes:
        found[name] = f"{form} {seen[form]}"
        seen[form] += 1
    return found
