"""Rows as one column of structs in Arrow: how events and rows go through a feed to Spark.

Data flow: a table -> a struct per row
Run: pytest tests/streaming/test_view_state.py
"""

from typing import Any

import pyarrow as pa


def nested(rows: pa.Table, form: pa.StructType) -> pa.StructArray:
    """The columns of the form, in its order and types, as one."""
    fields = list(form)
    own = rows.select([one.name for one in fields]).cast(pa.schema(fields))
    return pa.StructArray.from_arrays([whole(column) for column in own.columns], fields=fields)


def whole(values: Any) -> Any:
    """A column in one piece; what is none stays as it is."""
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
