"""Ids of the accepted events that a new on-time event may repeat, in memory.

Data flow: accepted events at or after the watermark -> what a micro-batch's events repeat
Run: pytest tests/streaming/test_dedup_index.py

A duplicate has its original's event time. So an on-time event can only repeat one of the last `delay`, which are kept here
(rate x delay entries); late events are looked up in silver (late.py). What is found must not depend on when the memory was
last tidied: a micro-batch that is repeated after a crash finds the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

TIDY_MS = 60_000
"""The memory is gone through once per minute of event time, not with every micro-batch."""


@dataclass(frozen=True)
class Arrival:
    """One valid event of a micro-batch: epoch milliseconds, hash of its content."""

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
        """event_id -> content_hash of the written arrivals at or after the watermark that these repeat."""
        found = {}
        for arrival in arrivals:
            seen = self._seen.get(arrival.event_id)
            if seen is not None and seen[0] >= watermark_ms:
                found[arrival.event_id] = seen[1]
        return found

    def add(self, arrivals: Iterable[Arrival], watermark_ms: int | None) -> None:
        """Remember a written batch; now and then forget what is behind the watermark."""
        for arrival in arrivals:
            seen = self._seen.get(arrival.event_id)
            # An id that is only still here because memory was not tidied yet counts as forgotten.
            if seen is None or (watermark_ms is not None and seen[0] < watermark_ms):
                self._seen[arrival.event_id] = (arrival.time_ms, arrival.content_hash)
        if watermark_ms is not None and watermark_ms - self._tidied_ms >= TIDY_MS:
            self._seen = {id_: seen for id_, seen in self._seen.items() if seen[0] >= watermark_ms}
            self._tidied_ms = watermark_ms
