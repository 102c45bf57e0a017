"""Find late events that silver already has, at a cost that does not depend on how widely their times are spread.

Data flow: late ids and event times -> silver's files that may hold them -> content hashes of written events
Run: pytest tests/streaming/test_late_duplicates.py

A duplicate has the event time of its original to the millisecond, so a late event is compared only with silver's events
of exactly that time. File statistics select the files to read, in one pass over all files and without a filter
expression that grows with the number of late events. Data files never change, so those of the last look-ups stay in
memory.
"""

from collections import OrderedDict
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable
from pyarrow import fs

from streaming.deduplication.event_ids import Arrived
from streaming.deduplication.stored_hashes import ROW, Comparable

COLUMNS = [*ROW, "generation", "batch_id"]
KEPT_BYTES = 64 * 2**20
"""Limit of the columns of looked-up files in memory, in bytes."""


class LateIndex:
    """Looks up late events in a Delta table of silver events, whose hashes it makes comparable."""

    def __init__(self, files: fs.FileSystem, comparable: Comparable) -> None:
        self._files = files
        self._comparable = comparable
        self._kept: OrderedDict[str, pa.Table] = OrderedDict()

    def known(self, silver: DeltaTable, late: Arrived, generation: str, batch_id: int) -> Mapping[str, int]:
        """event_id -> content_hash of events written before this micro-batch whose id one of `late` repeats."""
        if not len(late):
            return {}
        times = np.unique(late.times_ms)
        found: list[pa.Table] = []
        for path in may_hold(silver, times):
            rows = self._read(path)
            own = pc.and_(pc.equal(rows["generation"], generation), pc.greater_equal(rows["batch_id"], batch_id))
            rows = rows.filter(pc.and_(pc.is_in(rows["event_id"], value_set=late.ids), pc.invert(own)))
            at = rows["event_time"].cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64()).to_numpy()
            same = rows.filter(pa.array(np.isin(at, times)))
            if same.num_rows:
                found.append(same.select(ROW))
        if not found:
            return {}
        stored = self._comparable(pa.concat_tables(found))
        return dict(zip(stored["event_id"].to_pylist(), stored["content_hash"].to_pylist(), strict=True))

    def _read(self, path: str) -> pa.Table:
        rows = self._kept.get(path)
        if rows is None:
            rows = self._kept[path] = pq.read_table(path, columns=COLUMNS, filesystem=self._files, partitioning=None)
            while sum(kept.nbytes for kept in self._kept.values()) > KEPT_BYTES and len(self._kept) > 1:
                self._kept.popitem(last=False)
        self._kept.move_to_end(path)
        return rows


def may_hold(silver: DeltaTable, times: np.ndarray) -> list[str]:
    """Paths of files that may hold one of `times` (epoch ms, ascending); all files, if there are no statistics."""
    actions = pa.table(silver.get_add_actions(flatten=True))
    if not actions.num_rows or "min.event_time" not in actions.column_names:
        return list(actions["path"].to_pylist()) if actions.num_rows else []

    def millis(column: str, missing: int) -> np.ndarray:
        at = actions[column].cast(pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
        return np.asarray(pc.fill_null(at, missing).to_numpy())

    low = millis("min.event_time", int(times[0]))
    # Delta truncates the statistics of timestamps to milliseconds.
    high = millis("max.event_time", int(times[-1])) + 1
    first = np.searchsorted(times, low, side="left")
    holds = np.searchsorted(times, high, side="right") > first
    return [path for path, is_so in zip(actions["path"].to_pylist(), holds, strict=True) if is_so]
