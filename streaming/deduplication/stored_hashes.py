"""Content hashes read back from silver, comparable with those of new arrivals whatever version of the platform wrote them.

Data flow: ids and hashes of silver's rows -> the same; rows by a definition that is no longer in force are hashed anew
Run: pytest tests/streaming/test_stored_hashes.py

Only the first arrivals after a definition has changed find such rows, so that Spark is asked then and never else.
"""

from collections.abc import Callable, Mapping

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from infra.lake import spark_tables
from infra.lake.rows import from_arrow
from streaming.contracts import CONTRACTS
from streaming.tables.silver import SILVER
from streaming.validation.content import rehashed

ROW = ("event_id", "event_time", "content_hash", "definition")
"""The columns that tell a stored event's content."""
_WHICH = StructType([SILVER.schema[name] for name in ("event_id", "event_time")])

Comparable = Callable[[pa.Table], pa.Table]
"""Rows with the columns ROW -> the same events' event_id, event_time, content_hash."""


def comparable(session: SparkSession, versions: Mapping[str, str]) -> Comparable:
    """Hashes that compare with those that the definitions in force, `versions`, give."""
    in_force = pa.array(set(versions.values()), pa.string())

    def compared(rows: pa.Table) -> pa.Table:
        is_known = pc.is_in(rows["definition"].cast(pa.string()), value_set=in_force)
        known, former = (rows.filter(one).select(ROW[:3]) for one in (is_known, pc.invert(is_known)))
        return pa.concat_tables([known, _anew(session, former).cast(known.schema)]) if former.num_rows else known

    return compared


def _anew(session: SparkSession, rows: pa.Table) -> pa.Table:
    which = rows.select(_WHICH.names).cast(
        pa.schema([("event_id", pa.string()), ("event_time", pa.timestamp("us", "UTC"))])
    )
    days = sorted(set(which["event_time"].cast(pa.date32(), safe=False).to_pylist()))
    stored = spark_tables.read(session, SILVER).where(F.col("day").isin(days))
    own = stored.join(from_arrow(session, which, _WHICH), _WHICH.names, "left_semi")
    again = F.coalesce(rehashed(own, CONTRACTS.values()), "content_hash")
    return own.select(*_WHICH.names, again.alias("content_hash")).toArrow()
