"""Several Arrow tables as one piece of bytes, by name.

Data flow: tables -> bytes of a file -> tables
Run: pytest tests/streaming/test_in_tasks.py
"""

from collections.abc import Mapping

import pyarrow as pa
from pyspark.sql.types import BinaryType, IntegerType, StructField, StructType

PACKED = StructType([StructField("place", IntegerType()), StructField("body", BinaryType())])
"""What all feeds have, from one task: the place of a feed, of the marks behind the last one, or of a topic of `Layout.new` behind
these; and its table as a stream of Arrow's."""


def packed(tables: Mapping[str, pa.Table]) -> bytes:
    """The tables, each as a stream of Arrow's, in one."""
    both = pa.table(
        {
            "name": pa.array([*tables], pa.string()),
            "body": pa.array([stream(own) for own in tables.values()], pa.large_binary()),
        }
    )
    return stream(both)


def unpacked(body: bytes | pa.Buffer) -> dict[str, pa.Table]:
    """The same tables; they share the bytes' memory."""
    whole = pa.ipc.open_stream(body).read_all()
    names, bodies = whole["name"].to_pylist(), whole["body"]
    return {name: pa.ipc.open_stream(one.as_buffer()).read_all() for name, one in zip(names, bodies, strict=True)}


def stream(own: pa.Table) -> bytes:
    """A table as a stream of Arrow's."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, own.schema) as writer:
        writer.write_table(own)
    found: bytes = sink.getvalue().to_pybytes()
    return found
