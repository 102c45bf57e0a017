"""The rows that a restarted stream has said and that are still open: read back, so that nothing has to be computed again.

Data flow: speed/<view> of finished micro-batches -> the last version of each row -> those not final and not gone, with CLOSES
Run: pytest tests/streaming/test_open_rows.py

A row that becomes final is said once more, as final. So of an open row the last version says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType, TimestampType

from infra.lake import arrow_tables
from infra.lake.tables import Table
from streaming.positions.watermark import time_of
from streaming.state.prepared_plan import Input, StandingPlan, standing_session
from streaming.state.restore import since
from streaming.state.view_state import CLOSES
from streaming.tables.speed import SAID
from streaming.views import VIEWS
from streaming.views.view import View

VERSION = ("as_of", "batch_id")
"""Which of a row's versions is the last; the columns of speed/<view>."""
STATE = ("is_final", "is_removed")
AT_ONCE = 100_000
"""Rows that Spark is given at once, and versions that are held before all but the last of each row are dropped."""


def open_rows(
    session: SparkSession,
    speed: Mapping[str, Table],
    watermark_ms: int,
    generation: str,
    batch_id: int,
    tell: Callable[[str], None] = lambda _: None,
    views: Sequence[str] | None = None,
) -> dict[str, pa.Table]:
    """Per view (of `views`, or of all), the open rows before a micro-batch: what `define` gives, `day`, and CLOSES.

    A row closes within the view's reach of its time, so versions of older rows are not read. `tell` hears how far it is.
    """
    own, found = standing_session(session), {}
    wanted = [VIEWS[name] for name in (VIEWS if views is None else views)]
    finished = (pc.field("generation") == generation) & (pc.field("batch_id") < batch_id)
    for number, view in enumerate(wanted, 1):
        tell(f"open rows, view {number} of {len(wanted)}")
        where = finished & since(time_of(watermark_ms) - view.reach, view.time)
        pieces = arrow_tables.pieces(speed[view.name], stored(view).fieldNames(), where)
        found[view.name] = still_open(own, view, pieces)
    return found


def still_open(own: SparkSession, view: View, versions: Iterable[pa.Table]) -> pa.Table:
    """The open rows among versions (columns of `stored`, in any order); `own` is a standing session."""
    last = last_versions(view, versions)
    return closing(own, view, last.filter(pc.invert(pc.or_(last["is_final"], last["is_removed"]))))


def stored(view: View) -> StructType:
    """What is read of speed/<view>."""
    return StructType([*view.schema, *(one for one in SAID if one.name in (*STATE, *VERSION))])


def last_versions(view: View, pieces: Iterable[pa.Table]) -> pa.Table:
    """Of each row its last version."""
    form = to_arrow_schema(stored(view), timezone="UTC")
    found = (piece.cast(form) for piece in pieces)
    return arrow_tables.reduced(form.empty_table(), found, lambda versions: _last(view, versions), AT_ONCE)


def closing(own: SparkSession, view: View, rows: pa.Table) -> pa.Table:
    """The rows as Spark gives them, with CLOSES."""
    if not rows.num_rows:
        return to_arrow_schema(
            StructType([*view.schema, StructField(CLOSES, TimestampType())]), timezone="UTC"
        ).empty_table()
    given = Input(own, view.schema)
    plan = StandingPlan(lambda: given.frame.withColumn(CLOSES, view.closed_at()))
    found = []
    for start in range(0, rows.num_rows, AT_ONCE):
        given.put(rows.slice(start, AT_ONCE).select(view.schema.fieldNames()))
        found.append(plan.run())
    given.drop()
    return pa.concat_tables(found)


def _last(view: View, versions: pa.Table) -> pa.Table:
    key = ["day", *view.key]
    versions = versions.combine_chunks().sort_by([(name, "ascending") for name in VERSION])
    places = versions.select(key).append_column("_place", pa.array(np.arange(versions.num_rows)))
    return versions.take(places.group_by(key, use_threads=False).aggregate([("_place", "max")])["_place_max"])
