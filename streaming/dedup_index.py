"""In-memory index of accepted event ids, to find duplicates among on-time events.

Data flow: accepted events at or after the watermark -> those that a micro-batch repeats
Run: pytest tests/streaming/test_dedup_index.py

A duplicate has the event time of its original, so an on-time event can only repeat an event within the allowed
lateness. Those are kept here (rate x delay entries); late events are looked up in silver (late_duplicates.py). The
result must not depend on when old entries were last removed, so that a micro-batch repeated after a crash finds the
same duplicates.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

TIDY_MS = 60_000
"""Old entries are removed once per minute of event time (milliseconds), not with every micro-batch."""


@dataclass(frozen=True)
class Arrival:
    """One valid event of a micro-batch: id, event time (epoch milliseconds), hash of its content."""

    event_id: str
    time_ms: int
    content_hash: int


class DedupIndex:
    """Ids and content hashes of the accepted events at or after the watermark."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[int, int]] = {}
        self._tidied_ms = 0

    def restore(self, written: pa.Table) -> None:
        """Fill with what earlier batches accepted: columns event_id, time_ms, content_hash."""
        columns = (written[name].to_pylist() for name in ("event_id", "time_ms", "content_hash"))
        for event_id, time_ms, content in zip(*columns, strict=True):
            self._seen[event_id] = (time_ms, content)

    def known(self, arrivals: Iterable[Arrival], watermark_ms: int) -> Mapping[str, int]:
        """event_id -> content_hash of written events at or after the watermark whose id `arrivals` repeat."""
        found = {}
        for arrival in arrivals:
            seen = self._seen.get(arrival.event_id)
            if seen is not None and seen[0] >= watermark_ms:
                found[arrival.event_id] = seen[1]
        return found

    def add(self, arrivals: Iterable[Arrival], watermark_ms: int | None) -> None:
        """Add the events of a written batch; once per TIDY_MS, remove entries older than the watermark."""
        for arrival in arrivals:
            seen = self._seen.get(arrival.event_id)
            # An entry older than the watermark counts as removed, even if it is still here.
            if seen is None or (watermark_ms is not None and seen[0] < watermark_ms):
                self._seen[arrival.event_id] = (arrival.time_ms, arrival.content_hash)
        if watermark_ms is not None and watermark_ms - self._tidied_ms >= TIDY_MS:
            self._seen = {id_: seen for id_, seen in self._seen.items() if seen[0] >= watermark_ms}
            self._tidied_ms = watermark_ms
