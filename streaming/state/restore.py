"""The state that a restarted stream reads back from silver: recent ids, and the events of open rows.

Data flow: silver of finished micro-batches -> Arrow of recent ids; Arrow of on-time events within reach
Run: python -m streaming

delta-rs reads them: the first query of a new Spark takes eight seconds, and no record is answered meanwhile.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from infra.lake import arrow_tables
from streaming.contracts import CONTRACTS
from streaming.deduplication.stored_hashes import ROW, Comparable
from streaming.positions.watermark import time_of
from streaming.state.changelog import counted_in_arrow, shortened
from streaming.state.view_state import OF_EVENT
from streaming.tables.silver import SILVER
from streaming.views import CHANGELOGS, LOOKBACK, REACH, VIEWS
from streaming.views.as_of import KNOWN_AT

PAYLOADS = [contract.column for contract in CONTRACTS.values()]
STORED = [name for name in OF_EVENT if name != KNOWN_AT] + PAYLOADS
SCHEMA = to_arrow_schema(StructType([SILVER.schema[name] for name in STORED]), timezone="UTC")
"""Of what is read, as Spark gives it: files of an older contract lack its newer fields."""
AT_ONCE = 200_000
"""Changes that are held before all but the last of each key are dropped."""


def recent_since(watermark_ms: int, generation: str, batch_id: int, comparable: Comparable) -> pa.Table:
    """event_id, time_ms and content_hash (comparable) of what earlier batches accepted at or after the watermark."""
    where = since(time_of(watermark_ms)) & _finished(generation, batch_id)
    rows = comparable(arrow_tables.read(SILVER, ROW, where))
    times = pc.cast(rows["event_time"], pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    return pa.table({"event_id": rows["event_id"], "time_ms": times, "content_hash": rows["content_hash"]})


def on_time_since(watermark_ms: int, generation: str, batch_id: int) -> Iterator[pa.Table]:
    """The on-time events of earlier batches that open rows may still need, in pieces: OF_EVENT, with KNOWN_AT, and the topics.

    These are the events of each topic within reach and lookback of the watermark. Of changelogs, late events count too, and
    the last event of each key before.
    """
    columns, finished = (*STORED, "late_by_ms"), _finished(generation, batch_id)
    for span, topics in _spans().items():
        own = pc.field("topic").isin(pa.array(topics, pa.string())) & (pc.field("late_by_ms") == 0)
        where = since(time_of(watermark_ms) - span) & finished & own
        yield from map(_restored, arrow_tables.pieces(SILVER, columns, where))
    if CHANGELOGS:
        is_change = pc.field("topic").isin(pa.array(CHANGELOGS, pa.string()))
        changes = map(_counted, arrow_tables.pieces(SILVER, columns, finished & is_change))
        before = pa.scalar(time_of(watermark_ms) - REACH - LOOKBACK, pa.timestamp("us", "UTC"))
        yield _shortened(changes, before).select([*OF_EVENT, *PAYLOADS]).combine_chunks()


def _spans() -> dict[timedelta, list[str]]:
    """Per span the topics of which views need events for so long after their time."""
    found = dict[timedelta, list[str]]()
    for topic in sorted({topic for view in VIEWS.values() for topic in view.streams} - {*CHANGELOGS}):
        span = max(view.reach + view.lookback for view in VIEWS.values() if topic in view.streams)
        found.setdefault(span, []).append(topic)
    return found


def _restored(rows: pa.Table) -> pa.Table:
    return _counted(rows).select([*OF_EVENT, *PAYLOADS]).combine_chunks()


def _counted(rows: pa.Table) -> pa.Table:
    own = rows.select(STORED).cast(SCHEMA).append_column("late_by_ms", rows["late_by_ms"])
    return counted_in_arrow(own)


def _shortened(pieces: Iterable[pa.Table], before: pa.Scalar) -> pa.Table:
    """All changes, of those known before a time only the last of each key."""
    nothing = _counted(SCHEMA.append(pa.field("late_by_ms", pa.int64())).empty_table())
    return arrow_tables.reduced(nothing, pieces, lambda found: shortened(found, before, CHANGELOGS), AT_ONCE)


def since(at: datetime, time: str = "event_time") -> pc.Expression:
    """Rows at or after a moment, by their column `time`, and by the day of it, which is a partition or sorted."""
    return (pc.field("day") >= at.date()) & (pc.field(time) >= pa.scalar(at, pa.timestamp("us", "UTC")))


def _finished(generation: str, batch_id: int) -> pc.Expression:
    return ~((pc.field("generation") == generation) & (pc.field("batch_id") >= batch_id))
